import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import type { Patience } from '@artist-watch/delivery/store/reads';
import type { UnsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { HolderCache } from '@artist-watch/http/limit/holder-cache';
import type { RateLimit } from '@artist-watch/http/limit/rate-limit';
import type { FeedReader } from '@artist-watch/persistence/account/feed-tokens';
import type { SharedChange } from '@artist-watch/persistence/change/change-shares';
import type { Database } from '@artist-watch/persistence/database/database';
import type { SecretBox } from '@artist-watch/persistence/secret-box';
import type { SignInStore } from '@artist-watch/persistence/sign-in/requests';
import type { OpenTrackLookup } from '@artist-watch/track-lookup/open-track-lookup';
import type { ReceiverCode } from './destinations/secret-view.js';

/** How this installation watches, as change-ingest has it. */
export interface Watching {
  /** The one platform that is watched here. */
  readonly platform: Platform;
  /** POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
  readonly intervalFactor: number;
  /** Rule R. */
  readonly confirmation: ConfirmationSettings;
}

/** What pages are made with. */
export interface PageParts {
  /** Two pools, so that whatever writes wait for, they never take a connection from a read. */
  readonly reads: Database;
  readonly writes: Database;
  readonly watching: Watching;
  /** Of DASHBOARD_URL, as browsers write it: feeds and share links begin with it. */
  readonly origin: string;
  /** By the token of a share link. */
  readonly shares: HolderCache<SharedChange>;
  /** By the token of a feed. */
  readonly feeds: HolderCache<FeedReader>;
  /** By the id of a feed token. */
  readonly feedLimit: RateLimit;
  readonly tools: OpenTrackLookup;
  readonly signIns: SignInStore;
  /** Called when a mail was written: it should leave at once. */
  readonly onMailWritten: () => void;
  readonly unsubscribes: UnsubscribeProofs;
  readonly box: SecretBox;
  readonly judge: AddressJudge;
  readonly limits: DestinationLimits;
  /** For the attempt of a test. */
  readonly patience: Patience;
  /** Receivers that check the signature, one of each language. */
  readonly receivers: readonly ReceiverCode[];
  /** After how many failures in a row a destination is switched off. */
  readonly switchOffAfter: number;
  /** The last use of a feed could not be recorded. */
  readonly onTouchFailed: (error: unknown) => void;
}
