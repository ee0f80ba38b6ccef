import type { Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';

/** How this installation watches, as change-ingest has it. */
export interface Watching {
  /** The one platform that is watched here. */
  readonly platform: Platform;
  /** POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
  readonly intervalFactor: number;
  /** Rule R. */
  readonly confirmation: ConfirmationSettings;
}
