import { hash } from 'node:crypto';
import type { CatalogueState, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { DirectAnswers } from '@artist-watch/domain/detection/direct-reads';
import type { ArtistId, ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';

export interface ArtistObservation {
  readonly artistId: ArtistId;
  readonly observation: Observation;
  /** Results of direct reads of missing releases and tracks. */
  readonly directAnswers: DirectAnswers;
  /**
   * An observation with an unchanged hash is not compared. Null for a detailed read, because its content differs from
   * that of a list.
   */
  readonly digest: Buffer | null;
  /** `closer`: a detailed read between two polls. `ingested`: reported by another detector. */
  readonly source: 'poll' | 'closer' | 'ingested';
}

export interface DetectionSettings extends ScheduleSettings {
  readonly confirmation: ConfirmationSettings;
}

export interface DetectionContext {
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly now: Date;
  readonly snapshotId: SnapshotId;
  /** True if the brake puts the removals of all artists on hold. */
  readonly fleetBrakes: boolean;
  readonly traceparent: string | null;
  newChangeId(): ChangeId;
}

/** Ignores the order of releases and the follower and listener counts, because they change constantly. */
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
