import { createHash } from 'node:crypto';
import type { CatalogueState, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { DirectAnswers } from '@artist-watch/domain/detection/direct-reads';
import type { ArtistId, ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';

/** One observation of an artist, with all that is needed to process it. */
export interface Reading {
  readonly artistId: ArtistId;
  readonly observation: Observation;
  /** What the platform answered when it was asked for what the observation shows to be missing. */
  readonly directAnswers: DirectAnswers;
  /**
   * The same for the same content, so that an unchanged artist needs no comparison. Null for a reading that went
   * deeper than usual: the usual one, which comes again, has another content.
   */
  readonly digest: Buffer | null;
  /**
   * A poll of our own, which sets the time of the next one; a closer reading of our own between two polls; or reported by
   * another reader.
   */
  readonly source: 'poll' | 'closer' | 'ingested';
}

export interface DetectionSettings extends ScheduleSettings {
  readonly confirmation: ConfirmationSettings;
}

/** What decides on a reading besides itself and the record. */
export interface DetectionContext {
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly now: Date;
  /** Under which the reading is kept, if it is. */
  readonly snapshotId: SnapshotId;
  /** Removals touch so many artists that all of them are held. */
  readonly fleetBrakes: boolean;
  /** Where the reading stands in a trace. */
  readonly traceparent: string | null;
  newChangeId(): ChangeId;
}

/** The same for every order of the lists; followers and listeners, which move with every reading, are left out. */
export function digestOf(observation: Observation): Buffer | null {
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
