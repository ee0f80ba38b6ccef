import type { ReportedSnapshot, SnapshotAnswer } from '@artist-watch/contracts/ingest/snapshot';
import type { ArtistId } from '@artist-watch/domain/ids';
import { digestOf } from '../detection/reading.js';
import type { ProcessedReading, ReadingIntake } from '../detection/settlement.js';

export interface AcceptSnapshotPorts {
  /** The artist's id; one that is not known yet is made, unwatched. */
  artistIdOf(artist: ReportedSnapshot['artist'], now: Date): Promise<ArtistId>;
  readonly intake: ReadingIntake;
  /** Called after the commit. */
  onProcessed(processed: ProcessedReading): void;
}

/** Puts an artist snapshot of another reader through the same comparison and confirmation as a polled one. */
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
    digest: digestOf(observation),
    source: 'ingested',
    // The second path of the rule of absence is what the other reader says that the platform answered about the very id.
    directAnswers: { release: allGone(goneReleaseIds), track: allGone(goneTrackIds) },
  });
  onProcessed(processed);
  return answerTo(processed);
}

function allGone(ids: ReadonlySet<string>): ReadonlyMap<string, 'gone'> {
  return new Map([...ids].map((id) => [id, 'gone']));
}

function answerTo({ settlement: { kind, advance } }: ProcessedReading): SnapshotAnswer {
  return {
    outcome: kind === 'unchanged' ? 'compared' : kind,
    suspected: (advance?.opened.length ?? 0) + (advance?.strengthened.length ?? 0),
    confirmed: advance?.confirmed.length ?? 0,
    dismissed: advance?.dismissed.length ?? 0,
  };
}
