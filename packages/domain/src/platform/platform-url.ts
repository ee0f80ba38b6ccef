import type { Platform } from '../catalogue.js';
import type { EntityType } from '../change/change-types.js';
import { isPlatformId } from './platform-id.js';

const SITES: Readonly<Record<Platform, string>> = {
  deezer: 'https://www.deezer.com',
  spotify: 'https://open.spotify.com',
};

const KINDS: Readonly<Record<EntityType, string>> = { artist: 'artist', release: 'album', track: 'track' };

/** The page of an entity on its platform, for people to open. */
export function platformUrl(platform: Platform, entityType: EntityType, platformId: string): string {
  return `${SITES[platform]}/${KINDS[entityType]}/${encodeURIComponent(platformId)}`;
}

/** The same; null for an id that is none of the platform's, as a reported change may carry. */
export function knownPlatformUrl(platform: Platform, entityType: EntityType, platformId: string): string | null {
  return isPlatformId(platform, platformId) ? platformUrl(platform, entityType, platformId) : null;
}
