import { createHash } from 'node:crypto';
import type { CatalogueState, Observation } from '@artist-watch/domain/catalogue';
import type { Difference } from '@artist-watch/domain/change/difference';
import type { DirectRead } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistId } from '@artist-watch/domain/ids';

/** One observation of an artist, with all that is needed to process it. */
export interface Reading {
  readonly artistId: ArtistId;
  readonly observation: Observation;
  /** What the platform answered about the very thing that a difference says is absent; undefined: not asked for. */
  directRead(difference: Difference): DirectRead | undefined;
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

/** The same for every order of the lists; followers and listeners, which move with every reading, are left out. */
export function digestOf(observation: Observation): Buffer | null {
  switch (observation.kind) {
    case 'complete':
      return sha256(JSON.stringify(comparable(observation.state)));
    case 'artist_gone':
      return sha256('artist_gone');
    case 'incomplete':
      return null;
  }
}

function comparable({ artist, releases }: CatalogueState): unknown {
  const { platformId, name, imageId } = artist;
  const ordered = releases.toSorted((a, b) => (a.platformId < b.platformId ? -1 : a.platformId > b.platformId ? 1 : 0));
  return [platformId, name, imageId, ordered];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
