import { createHash } from 'node:crypto';
import type { CatalogueState, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { DirectAnswers } from '@artist-watch/domain/detection/direct-reads';
import type { ArtistId, ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';

/** An observation of an artist with everything needed to process it. */
export interface ArtistObservation {
  readonly artistId: ArtistId;
  readonly observation: Observation;
  /** Results of the direct reads of missing releases and tracks. */
  readonly directAnswers: DirectAnswers;
  /**
   * Hash of the content, so that an unchanged artist needs no comparison. Null for a detailed read, because the next
   * list-only poll has other content.
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

/** Everything that affects the processing of an observation besides the observation and the stored state. */
export interface DetectionContext {
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly now: Date;
  /** Id of the snapshot, if the observation is stored. */
  readonly snapshotId: SnapshotId;
  /** True if removals affect so many artists that the brake puts all of them on hold. */
  readonly fleetBrakes: boolean;
  /** Trace context of the observation. */
  readonly traceparent: string | null;
  newChangeId(): ChangeId;
}

/**
 * Hashes an observation, independent of the order of releases. Omits followers and listeners, which change all the
 * time.
 */
export function hashObservation(observation: Observation): Buffer | null {
  switch (observation.kind) {
    case 'complete':
      return sha256(JSON.stringify(comparable(observation.state)));
    case 'artist_gone':
      return sha256('artist_gone');
    case 'artist_merged':
      return sha256(`artist_merged ${observation.into.platformId}`);
    case 'incomplete':
      return null;
  }
}

function comparable({ artist, releases, unknownReleases = 0 }: CatalogueState): unknown {
  const { platformId, name, imageId } = artist;
  const ordered = releases.toSorted((a, b) => (a.platformId < b.platformId ? -1 : a.platformId > b.platformId ? 1 : 0));
  return [platformId, name, imageId, ordered, ...(unknownReleases > 0 ? [unknownReleases] : [])];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
