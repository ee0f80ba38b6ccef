import type { ReportedSnapshot, SnapshotAnswer } from '@artist-watch/contracts/ingest/snapshot';
import type { Difference } from '@artist-watch/domain/change/difference';
import { directReadOfMarkets } from '@artist-watch/domain/detection/follow-up-reading';
import type { DirectRead } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { ProcessedReading, ReadingIntake } from '../detection/ports.js';
import { digestOf, type Reading } from '../detection/reading.js';

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
  const processed = await intake.process(readingOf(snapshot, artistId));
  onProcessed(processed);
  return answerTo(processed);
}

function readingOf(snapshot: ReportedSnapshot, artistId: ArtistId): Reading {
  const { observation } = snapshot;
  return {
    artistId,
    observation,
    digest: digestOf(observation),
    source: 'ingested',
    directRead: (difference) => directReadIn(snapshot, difference),
  };
}

/** The second path of rule R is what the other reader says that the platform answered about the very id. */
function directReadIn(
  { observation, goneReleaseIds, goneTrackIds }: ReportedSnapshot,
  difference: Difference,
): DirectRead | undefined {
  switch (difference.type) {
    case 'release_removed':
    case 'release_replaced':
      return goneReleaseIds.has(difference.entityId) ? 'gone' : undefined;
    case 'track_removed':
      return goneTrackIds.has(difference.entityId) ? 'gone' : undefined;
    case 'availability_reduced':
      return observation.kind === 'complete' ? directReadOfMarkets(difference, observation.state.releases) : undefined;
    default:
      return undefined;
  }
}

function answerTo({ settlement: { kind, advance } }: ProcessedReading): SnapshotAnswer {
  return {
    outcome: kind === 'unchanged' ? 'compared' : kind,
    suspected: (advance?.opened.length ?? 0) + (advance?.strengthened.length ?? 0),
    confirmed: advance?.confirmed.length ?? 0,
    dismissed: advance?.dismissed.length ?? 0,
  };
}
