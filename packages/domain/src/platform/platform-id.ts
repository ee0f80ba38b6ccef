import type { Platform } from '../catalogue.js';
import type { EntityType } from '../change/change-types.js';

/** The source of an expression for an id, without anchors. */
export const PLATFORM_ID_PATTERNS: Readonly<Record<Platform, string>> = {
  deezer: '[0-9]{1,20}',
  spotify: '[0-9A-Za-z]{22}',
};

const IDS: Readonly<Record<Platform, RegExp>> = {
  deezer: new RegExp(`^${PLATFORM_ID_PATTERNS.deezer}$`),
  spotify: new RegExp(`^${PLATFORM_ID_PATTERNS.spotify}$`),
};

/** Whether the platform can have something by this id; whether it has, the platform knows. */
export function isPlatformId(platform: Platform, id: string): boolean {
  return IDS[platform].test(id);
}

/** Completes a sentence whose subject is an id: `"platform_id" is 1 to 20 digits …`. */
export const PLATFORM_ID_FORMS: Readonly<Record<Platform, string>> = {
  deezer: 'is 1 to 20 digits, such as "27"',
  spotify: 'is 22 letters and digits, such as "4tZwfgrHOc3mvqYlEYSvVi"',
};

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
