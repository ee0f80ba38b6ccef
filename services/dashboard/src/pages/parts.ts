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

/** Settings of the detection, the same as in change-ingest. */
export interface Watching {
  /** The platform of this installation. */
  readonly platform: Platform;
  /** POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
  readonly intervalFactor: number;
  /** Rule R. */
  readonly confirmation: ConfirmationSettings;
}

/** Dependencies of the pages. */
export interface PageParts {
  /** Two pools, so that waiting writes never take connections from reads. */
  readonly reads: Database;
  readonly writes: Database;
  readonly watching: Watching;
  /** Origin of DASHBOARD_URL, the start of feed URLs and share links. */
  readonly origin: string;
  /** By the token of a share link. */
  readonly shares: HolderCache<SharedChange>;
  /** By the token of a feed. */
  readonly feeds: HolderCache<FeedReader>;
  /** By the id of a feed token. */
  readonly feedLimit: RateLimit;
  readonly tools: OpenTrackLookup;
  readonly signIns: SignInStore;
  /** Called when an email was queued, to send it immediately. */
  readonly onMailWritten: () => void;
  readonly unsubscribes: UnsubscribeProofs;
  readonly box: SecretBox;
  readonly judge: AddressJudge;
  readonly limits: DestinationLimits;
  /** For waiting until a test was attempted. */
  readonly patience: Patience;
  /** Example receivers that verify the signature, one per language. */
  readonly receivers: readonly ReceiverCode[];
  /** Failures in a row that switch a destination off. */
  readonly switchOffAfter: number;
  /** Called if the last use of a feed could not be recorded. */
  readonly onTouchFailed: (error: unknown) => void;
}
