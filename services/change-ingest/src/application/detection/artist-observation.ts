import { hash } from 'node:crypto';
import type { CatalogueState, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { DirectAnswers } from '@artist-watch/domain/detection/direct-reads';
import type { ArtistId, ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';

/** An observation of an artist, with everything that is needed to process it. */
export interface ArtistObservation {
  readonly artistId: ArtistId;
  readonly observation: Observation;
  /** The results of requesting missing releases and tracks by their ids. */
  readonly directAnswers: DirectAnswers;
  /**
   * Hash of the content. An artist with an unchanged hash needs no comparison. Null for a detailed read, because its
   * content differs from that of the next list-only poll.
   */
  readonly digest: Buffer | null;
  /**
   * `poll`: a regular poll, which schedules the next one. `closer`: a detailed read between two polls. `ingested`:
   * reported by another detector.
   */
  readonly source: 'poll' | 'closer' | 'ingested';
}

export interface DetectionSettings extends ScheduleSettings {
  readonly confirmation: ConfirmationSettings;
}

/** Everything that affects the processing of an observation, except the observation itself and the stored state. */
export interface DetectionContext {
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly now: Date;
  /** The id under which the observation is stored, if it is stored. */
  readonly snapshotId: SnapshotId;
  /** True if so many artists have removals that the brake puts all of these removals on hold. */
  readonly fleetBrakes: boolean;
  /** Trace context of the observation. */
  readonly traceparent: string | null;
  newChangeId(): ChangeId;
}

/**
 * Returns a hash of an observation that does not depend on the order of releases. The numbers of followers and
 * listeners are not hashed, because they change all the time.
 */
export function hashObservation(observation: Observation): Buffer | null {
  switch (observation.kind) {
    case 'complete':
      return hash('sha256', JSON.stringify(comparable(observation.state)), 'buffer');
    case 'artist_gone':
      return hash('sha256', 'artist_gone', 'buffer');
    case 'artist_merged':
      return hash('sha256', `artist_merged ${observation.into.platformId}`, 'buffer');
    case 'incomplete':
      return null;
  }
}

function comparable({ artist, releases, unknownReleases = 0 }: CatalogueState): unknown {
  const { platformId, name, imageId } = artist;
  const ordered = releases.toSorted((a, b) => (a.platformId < b.platformId ? -1 : a.platformId > b.platformId ? 1 : 0));
  return [platformId, name, imageId, ordered, ...(unknownReleases > 0 ? [unknownReleases] : [])];
}
