import type { Platform } from '../catalogue.js';
import { foldText } from '../comparison/value-identity.js';
import { isPlatformId, PLATFORM_ID_PATTERNS } from './platform-id.js';

/**
 * Accepts the URLs that people copy (docs/api/requests.md). A URL parser would repair invalid text. JSON Schema doesn't
 * support flags, so the patterns don't use any.
 */

export interface PlatformAddress {
  readonly platform: Platform;
  readonly entity: string;
  /** The id has the platform's format, but the entity may not exist. */
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

const QUERY_AND_FRAGMENT = '(?:[?#][!-\\[\\]-~]*)?';

/** Excludes short links, because they don't show which entity they lead to. */
export function addressPattern(platform: Platform, entity: 'artist' | 'track'): string {
  return `^(?:${formsOf(platform, entity)
    .map((form) => form + QUERY_AND_FRAGMENT)
    .join('|')})$`;
}

/** Matches neither a Deezer locale nor the `embed` prefix. */
const ENTITY = '(?!embed/)[a-z]{3,}';

const READERS = (['deezer', 'spotify'] as const).flatMap((platform) =>
  formsOf(platform, ENTITY).map((form) => ({ platform, form: new RegExp(`^${form}$`) })),
);

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

/** `other_kind` means that the URL leads to something else, such as an album instead of a track. */
export type AddressRefusal = 'not_an_address' | 'other_platform' | 'other_kind';

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

type ArtistLine =
  | { readonly kind: 'id'; readonly platformId: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'invalid'; readonly reason: LineFault };

export type LineFault = 'empty' | 'too_long' | 'unreadable' | 'other_platform' | 'other_kind' | 'not_an_address';

/** Code points. */
export const MAX_NAME_CHARS = 100;

/** No artist name contains these patterns. */
const LOOKS_LIKE_ADDRESS = /^(?:https?:|www\.|spotify:|deezer:)|(?:deezer|spotify)\.com\//i;

const UNREADABLE = /[\p{Cc}\p{Cs}]/u;

/** A name that looks like an id is treated as an id. */
export function parseArtistLine(text: string, platform: Platform): ArtistLine {
  const line = foldText(text);
  if (line === '') return { kind: 'invalid', reason: 'empty' };
  if (UNREADABLE.test(line)) return { kind: 'invalid', reason: 'unreadable' };
  if (isPlatformId(platform, line)) return { kind: 'id', platformId: line };
  const address = parseArtistAddress(line, platform);
  if (address.kind === 'artist') return { kind: 'id', platformId: address.artistId };
  if (address.reason !== 'not_an_address' || LOOKS_LIKE_ADDRESS.test(line)) {
    return { kind: 'invalid', reason: address.reason };
  }
  return [...line].length <= MAX_NAME_CHARS ? { kind: 'name', name: line } : { kind: 'invalid', reason: 'too_long' };
}

/** Ignores letter case and white space. */
export function isSameName(a: string, b: string): boolean {
  return foldText(a).toLowerCase() === foldText(b).toLowerCase();
}
