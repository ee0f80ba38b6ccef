import type { Cidr } from '@artist-watch/address-policy/ip-address';
import type { UnsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { HolderCache } from '@artist-watch/http/limit/holder-cache';
import type { DestinationLimits, RateLimit } from '@artist-watch/http/limit/rate-limit';
import type { FeedReader } from '@artist-watch/persistence/account/feed-tokens';
import type { SharedChange } from '@artist-watch/persistence/change/change-shares';
import type { Database } from '@artist-watch/persistence/database/database';
import type { SecretBox } from '@artist-watch/persistence/secret-box';
import type { SignInStore } from '@artist-watch/persistence/sign-in/requests';
import type { OpenTrackLookup } from '@artist-watch/track-lookup/track-lookup';
import type { ReceiverCode } from './destinations/secret-view.js';

/** These settings must be the same as in change-ingest. */
export interface Watching {
  readonly platform: Platform;
  /** POLL_INTERVAL_FACTOR, which multiplies the plans' intervals. */
  readonly intervalFactor: number;
  readonly confirmation: ConfirmationSettings;
}

export interface PageParts {
  /** Reads and writes have separate connection pools, so that waiting writes cannot block reads. */
  readonly reads: Database;
  readonly writes: Database;
  readonly watching: Watching;
  /** The origin of DASHBOARD_URL, used in feed URLs and share links. */
  readonly origin: string;
  /** `DASHBOARD_URL` */
  readonly dashboardUrl: string | undefined;
  readonly shares: HolderCache<SharedChange>;
  readonly feeds: HolderCache<FeedReader>;
  /** Counts how often each feed is read, by token id. */
  readonly feedLimit: RateLimit;
  readonly tools: OpenTrackLookup;
  readonly signIns: SignInStore;
  /** Called when an email has been queued, so that it is sent immediately. */
  readonly onMailWritten: () => void;
  readonly unsubscribes: UnsubscribeProofs;
  readonly box: SecretBox;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  readonly limits: DestinationLimits;
  readonly stopping: AbortSignal;
  readonly receivers: readonly ReceiverCode[];
  readonly switchOffAfter: number;
  /** Called if a feed's last-used time could not be stored. */
  readonly onTouchFailed: (error: unknown) => void;
}
