import type { CatalogueState, Platform } from '@artist-watch/domain/catalogue';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { badAnswer } from './platform-error.js';
import type { ArtistFound, FoundArtist } from './port.js';

/** What a look-up of an artist says to people. @throws PlatformError `bad_answer` */
export function artistFound(platform: Platform, id: string, artist: CatalogueState['artist'] | undefined): ArtistFound {
  if (artist === undefined) return { kind: 'not_found' };
  if (artist.platformId !== id) throw badAnswer(`artist ${id}: answered with another artist`);
  const [found] = artistsFound(platform, [artist]);
  if (found === undefined) throw badAnswer(`artist ${id}: no name`);
  return { kind: 'found', artist: found };
}

/** What a search says: each artist once, which it may name on two places, and none without a name. */
export function artistsFound(platform: Platform, artists: readonly CatalogueState['artist'][]): FoundArtist[] {
  const named = new Map<string, FoundArtist>();
  for (const { platformId, name, imageId, followers } of artists) {
    if (name === undefined) continue;
    named.set(platformId, { platformId, name, imageId, followers, url: platformUrl(platform, 'artist', platformId) });
  }
  return [...named.values()];
}
