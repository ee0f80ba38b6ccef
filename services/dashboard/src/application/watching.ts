import type { Platform } from '@artist-watch/domain/catalogue';
import { checkOf } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';

/** How this installation watches, as change-ingest has it. */
export interface Watching {
  /** The one platform that is watched here. */
  readonly platform: Platform;
  /** POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
  readonly intervalFactor: number;
  /** Rule R. */
  readonly confirmation: ConfirmationSettings;
}

interface SuspicionOfArtist {
  readonly artistId: string;
  readonly artistName: string;
  readonly suspicion: Suspicion;
}

/** A suspicion as the table of checks shows it. */
export function shownCheck({ artistId, artistName, suspicion }: SuspicionOfArtist, confirmation: ConfirmationSettings) {
  const { type, severity, entityName } = suspicion.difference;
  return {
    ...{ artistId, artistName, type, severity, entityName, held: suspicion.held },
    ...checkOf(suspicion, confirmation),
  };
}
