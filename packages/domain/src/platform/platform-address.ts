import type { Platform } from '../catalogue.js';
import { PLATFORM_ID_PATTERNS } from './platform-id.js';

/**
 * Parses copied platform URLs (docs/reference/api.md). A URL parser would repair invalid text, so patterns without
 * flags are used, which the API description shows too. They run in linear time.
 */

export interface PlatformAddress {
  readonly platform: Platform;
  /** The path's entity, such as `track`, `album` or `artist`. */
  readonly entity: string;
  /** In the platform's format. The entity may not exist. */
  readonly id: string;
}

const MAX_LENGTH = 2_048;

/** DNS names and schemes are case-insensitive. */
const anyCase = (text: string) =>
  text.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`).replaceAll('.', '\\.');

const PORTS = { https: '(?::443)?', http: '(?::80)?', '': '(?::(?:443|80))?' };

const PLATFORMS: Readonly<Record<Platform, { host: string; locale: string; uri?: string }>> = {
  deezer: { host: 'deezer.com', locale: '(?:[Ii][Nn][Tt][Ll]-)?[A-Za-z]{2}/' },
  spotify: { host: 'open.spotify.com', locale: '[Ii][Nn][Tt][Ll]-[A-Za-z]{2}/', uri: 'spotify' },
};

/** An optional scheme, a host, and an optional port that fits the scheme. */
function originOf(hostName: string): string {
  const host = `(?:${anyCase('www.')})?${anyCase(hostName)}`;
  const forms = Object.entries(PORTS).map(([scheme, port]) => `${scheme && `${anyCase(scheme)}://`}${host}${port}`);
  return `(?:${forms.join('|')})`;
}

/** `[http[s]://][www.]host[:port][/locale][/embed]/entity/ID[/]` and `spotify:entity:ID` */
function formsOf(platform: Platform, entity: string): string[] {
  const { host, locale, uri } = PLATFORMS[platform];
  const id = PLATFORM_ID_PATTERNS[platform];
  const prefixes = `(?:(?:${locale})?(?:embed/)?|embed/${locale})`;
  const url = `${originOf(host)}/${prefixes}${entity}/${id}/?`;
  return uri === undefined ? [url] : [url, `${anyCase(uri)}:${entity}:${id}`];
}

/** Printable ASCII without the backslash. */
const QUERY_AND_FRAGMENT = '(?:[?#][!-\\[\\]-~]*)?';

/** For the API description. Excludes short links, because they do not show their entity. */
export function addressPattern(platform: Platform, entity: 'artist' | 'track'): string {
  return `^(?:${formsOf(platform, entity)
    .map((form) => form + QUERY_AND_FRAGMENT)
    .join('|')})$`;
}

/** Neither a Deezer locale nor the prefix `embed`. */
const ENTITY = '(?!embed/)[a-z]{3,}';

const READERS = (['deezer', 'spotify'] as const).flatMap((platform) =>
  formsOf(platform, ENTITY).map((form) => ({ platform, form: new RegExp(`^${form}$`) })),
);

/** Null unless the URL belongs to an entity on a known platform. */
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

/** `other_kind`: another entity, such as an album instead of a track. */
export type AddressRefusal = 'not_an_address' | 'other_platform' | 'other_kind';

/** Sends no request. */
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

export function parseArtistAddress(text: string, platform: Platform): ArtistAddress {
  const address = parsePlatformAddress(text);
  if (address === null) return { kind: 'refused', reason: 'not_an_address' };
  if (address.platform !== platform) return { kind: 'refused', reason: 'other_platform' };
  if (address.entity !== 'artist') return { kind: 'refused', reason: 'other_kind' };
  return { kind: 'artist', platform, artistId: address.id };
}
