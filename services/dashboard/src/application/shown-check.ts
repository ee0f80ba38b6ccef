import { checkOf } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';

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
