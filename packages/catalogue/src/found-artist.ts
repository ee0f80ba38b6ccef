import type { CatalogueState, Platform } from '@artist-watch/domain/catalogue';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { badResponse } from './platform-error.js';
import type { ArtistFound, FoundArtist } from './port.js';

/** @throws PlatformError `bad_answer` */
export function toArtistFound(
  platform: Platform,
  id: string,
  artist: CatalogueState['artist'] | undefined,
): ArtistFound {
  if (artist === undefined) return { kind: 'not_found' };
  if (artist.platformId !== id) throw badResponse(`artist ${id}: the response is about another artist`);
  const [found] = toFoundArtists(platform, [artist]);
  if (found === undefined) throw badResponse(`artist ${id}: no name`);
  return { kind: 'found', artist: found };
}

export function toFoundArtists(platform: Platform, artists: readonly CatalogueState['artist'][]): FoundArtist[] {
  const named = new Map<string, FoundArtist>();
  for (const { platformId, name, imageId, followers } of artists) {
    if (name === undefined) continue;
    named.set(platformId, { platformId, name, imageId, followers, url: platformUrl(platform, 'artist', platformId) });
  }
  return [...named.values()];
}
