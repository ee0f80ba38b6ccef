import type { Platform } from '../catalogue.js';
import { PLATFORM_ID_PATTERNS } from './platform-id.js';

/**
 * Parses URLs of entities on a streaming platform in all the forms that people copy (docs/reference/api.md). A URL
 * parser would repair invalid text (backslashes, line feeds, full-width letters), so we use regular expressions, which
 * the API description shows too. They have no flags, because JSON Schema patterns have none. They run in linear time,
 * because each unbounded repetition is followed by a character that it does not match.
 */

export interface PlatformAddress {
  readonly platform: Platform;
  /** The kind of entity in the path, such as `track`, `album` or `artist`. */
  readonly entity: string;
  /** An id in the platform's format. The entity may not exist. */
  readonly id: string;
}

const MAX_LENGTH = 2_048;

/** Returns a pattern that ignores case, because DNS names and schemes are case-insensitive. */
const anyCase = (text: string) =>
  text.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`).replaceAll('.', '\\.');

const PORTS = { https: '(?::443)?', http: '(?::80)?', '': '(?::(?:443|80))?' };

const PLATFORMS: Readonly<Record<Platform, { host: string; locale: string; uri?: string }>> = {
  deezer: { host: 'deezer.com', locale: '(?:[Ii][Nn][Tt][Ll]-)?[A-Za-z]{2}/' },
  spotify: { host: 'open.spotify.com', locale: '[Ii][Nn][Tt][Ll]-[A-Za-z]{2}/', uri: 'spotify' },
};

/** Returns a pattern for an optional scheme, a host, and an optional port that fits the scheme. */
function originOf(hostName: string): string {
  const host = `(?:${anyCase('www.')})?${anyCase(hostName)}`;
  const forms = Object.entries(PORTS).map(([scheme, port]) => `${scheme && `${anyCase(scheme)}://`}${host}${port}`);
  return `(?:${forms.join('|')})`;
}

/** Returns patterns for `[http[s]://][www.]host[:port][/locale][/embed]/entity/ID[/]` and `spotify:entity:ID`. */
function formsOf(platform: Platform, entity: string): string[] {
  const { host, locale, uri } = PLATFORMS[platform];
  const id = PLATFORM_ID_PATTERNS[platform];
  const prefixes = `(?:(?:${locale})?(?:embed/)?|embed/${locale})`;
  const url = `${originOf(host)}/${prefixes}${entity}/${id}/?`;
  return uri === undefined ? [url] : [url, `${anyCase(uri)}:${entity}:${id}`];
}

/** Matches an optional query and fragment: printable ASCII without the backslash. */
const QUERY_AND_FRAGMENT = '(?:[?#][!-\\[\\]-~]*)?';

/**
 * Returns the pattern of an artist's or track's URLs for the API description. Short links are excluded, because they do
 * not show which entity they lead to.
 */
export function addressPattern(platform: Platform, entity: 'artist' | 'track'): string {
  return `^(?:${formsOf(platform, entity)
    .map((form) => form + QUERY_AND_FRAGMENT)
    .join('|')})$`;
}

/** Matches the kind of entity in a path, but not a Deezer locale or the prefix `embed`. */
const ENTITY = '(?!embed/)[a-z]{3,}';

const READERS = (['deezer', 'spotify'] as const).flatMap((platform) =>
  formsOf(platform, ENTITY).map((form) => ({ platform, form: new RegExp(`^${form}$`) })),
);

/** Parses a URL. Returns null if it does not belong to an entity on a known platform. */
export function parsePlatformAddress(text: string): PlatformAddress | null {
  const address = text.trim();
  if (address.length > MAX_LENGTH || /[\s\\\p{Cc}]/u.test(address)) return null;
  const [bare = ''] = address.split(/[?#]/, 1);
  const platform = READERS.find(({ form }) => form.test(bare))?.platform;
  if (platform === undefined) return null;
  const [id = '', entity = ''] = bare.replace(/\/$/, '').split(/[/:]/).reverse();
  return { platform, entity, id };
}

export type TrackAddress =
  | { readonly kind: 'track'; readonly platform: Platform; readonly trackId: string }
  | { readonly kind: 'refused'; readonly reason: AddressRefusal };

/**
 * Why a URL was rejected. `other_kind` means that it leads to a different kind of entity, such as an album instead of a
 * track.
 */
export type AddressRefusal = 'not_an_address' | 'other_platform' | 'other_kind';

/** Parses a track's URL on the platform in use, or returns the reason why it was rejected. Sends no request. */
export function parseTrackAddress(text: string, platform: Platform): TrackAddress {
  const address = parsePlatformAddress(text);
  if (address === null) return { kind: 'refused', reason: 'not_an_address' };
  if (address.platform !== platform) return { kind: 'refused', reason: 'other_platform' };
  if (address.entity !== 'track') return { kind: 'refused', reason: 'other_kind' };
  return { kind: 'track', platform, trackId: address.id };
}

export type ArtistAddress =
  | { readonly kind: 'artist'; readonly platform: Platform; readonly artistId: string }
  | { readonly kind: 'refused'; readonly reason: AddressRefusal };

/**
 * Parses an artist's URL on the platform in use (`POST /v1/artists` with a `url`), or returns the reason why it was
 * rejected.
 */
export function parseArtistAddress(text: string, platform: Platform): ArtistAddress {
  const address = parsePlatformAddress(text);
  if (address === null) return { kind: 'refused', reason: 'not_an_address' };
  if (address.platform !== platform) return { kind: 'refused', reason: 'other_platform' };
  if (address.entity !== 'artist') return { kind: 'refused', reason: 'other_kind' };
  return { kind: 'artist', platform, artistId: address.id };
}
