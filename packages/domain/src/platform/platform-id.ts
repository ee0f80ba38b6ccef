import type { Platform } from '../catalogue.js';
import type { EntityType } from '../change/change-types.js';

/** Without anchors. */
export const PLATFORM_ID_PATTERNS: Readonly<Record<Platform, string>> = {
  deezer: '[0-9]{1,20}',
  spotify: '[0-9A-Za-z]{22}',
};

const IDS: Readonly<Record<Platform, RegExp>> = {
  deezer: new RegExp(`^${PLATFORM_ID_PATTERNS.deezer}$`),
  spotify: new RegExp(`^${PLATFORM_ID_PATTERNS.spotify}$`),
};

/** Checks only the format. The entity may not exist. */
export function isPlatformId(platform: Platform, id: string): boolean {
  return IDS[platform].test(id);
}

/** Completes a sentence such as `"platform_id" must be 1 to 20 digits …`. */
export const PLATFORM_ID_FORMS: Readonly<Record<Platform, string>> = {
  deezer: 'must be 1 to 20 digits, such as "27"',
  spotify: 'must be 22 letters and digits, such as "4tZwfgrHOc3mvqYlEYSvVi"',
};

const SITES: Readonly<Record<Platform, string>> = {
  deezer: 'https://www.deezer.com',
  spotify: 'https://open.spotify.com',
};

const KINDS: Readonly<Record<EntityType, string>> = { artist: 'artist', release: 'album', track: 'track' };

export function platformUrl(platform: Platform, entityType: EntityType, platformId: string): string {
  return `${SITES[platform]}/${KINDS[entityType]}/${encodeURIComponent(platformId)}`;
}

/** Returns null if the id has a different format, for example because it came from another detector. */
export function knownPlatformUrl(platform: Platform, entityType: EntityType, platformId: string): string | null {
  return isPlatformId(platform, platformId) ? platformUrl(platform, entityType, platformId) : null;
}

/** See ISO 3901. docs/api/requests.md lists the accepted notations. */

const ISRC = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/;
/** Text editors insert U+2010 or U+2011 instead of a hyphen. */
const SEPARATORS = /[\s\u2010\u2011-]/g;

/**
 * Returns 12 upper-case characters, or null. The prefix "ISRC" is only removed if the text is not already a code,
 * because `IS RC1 …` is an Icelandic code.
 */
export function normaliseIsrc(text: string): string | null {
  // toUpperCase would also convert a long s to S, and a ligature to "FI".
  const compact = text.replace(SEPARATORS, '').replace(/[a-z]/g, (letter) => letter.toUpperCase());
  if (ISRC.test(compact)) return compact;
  const bare = compact.startsWith('ISRC') ? compact.slice(4) : compact;
  return ISRC.test(bare) ? bare : null;
}
