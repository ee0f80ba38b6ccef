import type { ReportedSnapshot, SnapshotAnswer } from '@artist-watch/contracts/ingest/snapshot';
import type { ArtistId } from '@artist-watch/domain/ids';
import { hashObservation } from '../detection/artist-observation.js';
import type { ObservationIntake, ProcessedObservation } from '../detection/settlement.js';

export interface AcceptSnapshotPorts {
  artistIdOf(artist: ReportedSnapshot['artist'], now: Date): Promise<ArtistId>;
  readonly intake: ObservationIntake;
  onProcessed(processed: ProcessedObservation): void;
}

export async function acceptSnapshot(
  snapshot: ReportedSnapshot,
  now: Date,
  { artistIdOf, intake, onProcessed }: AcceptSnapshotPorts,
): Promise<SnapshotAnswer> {
  const artistId = await artistIdOf(snapshot.artist, now);
  const { observation, goneReleaseIds, goneTrackIds } = snapshot;
  const processed = await intake.process({
    artistId,
    observation,
    digest: hashObservation(observation),
    source: 'ingested',
    // The other detector reports which ids no longer exist on the platform (rule `absence`).
    directAnswers: { release: allGone(goneReleaseIds), track: allGone(goneTrackIds) },
  });
  onProcessed(processed);
  return toAnswer(processed);
}

function allGone(ids: ReadonlySet<string>): ReadonlyMap<string, 'gone'> {
  return new Map([...ids].map((id) => [id, 'gone']));
}

function toAnswer({ settlement: { kind, advance } }: ProcessedObservation): SnapshotAnswer {
  return {
    outcome: kind === 'unchanged' ? 'compared' : kind,
    suspected: (advance?.opened.length ?? 0) + (advance?.strengthened.length ?? 0),
    confirmed: advance?.confirmed.length ?? 0,
    dismissed: advance?.dismissed.length ?? 0,
  };
}
