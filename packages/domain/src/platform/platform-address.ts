import type { Platform } from '../catalogue.js';
import { isPlatformId } from './platform-id.js';

/**
 * Addresses of things on a streaming platform, as people copy them (docs/reference/api.md). Read by
 * hand, one character class at a time: a URL parser would repair what is not an address (back slashes, line feeds, full
 * width letters), and no expression here can backtrack.
 */

export interface PlatformAddress {
  readonly platform: Platform;
  /** As the path names it: `track`, `album`, `artist` … */
  readonly entity: string;
  /** Well-formed for its platform; whether it exists, the platform knows. */
  readonly id: string;
}

const MAX_LENGTH = 2_048;

const HOSTS: ReadonlyMap<string, Platform> = new Map([
  ['open.spotify.com', 'spotify'],
  ['deezer.com', 'deezer'],
]);

const LOCALES: Readonly<Record<Platform, RegExp>> = { spotify: /^intl-[a-z]{2}$/i, deezer: /^(?:intl-)?[a-z]{2}$/i };

const DEFAULT_PORTS: Readonly<Record<string, readonly string[]>> = {
  https: ['443'],
  http: ['80'],
  '': ['443', '80'],
};

/** Null for whatever is not an address of one thing on a platform that we know. */
export function parsePlatformAddress(text: string): PlatformAddress | null {
  const address = text.trim();
  if (address.length > MAX_LENGTH || /[\s\\\p{Cc}]/u.test(address)) return null;
  const bare = address.slice(0, indexOrEnd(address, /[?#]/));
  return parseUri(bare) ?? parseUrl(bare);
}

/** `spotify:track:ID` */
function parseUri(text: string): PlatformAddress | null {
  const [scheme = '', entity = '', id = '', ...more] = text.split(':');
  if (asciiLower(scheme) !== 'spotify' || more.length > 0) return null;
  return checked('spotify', entity, id);
}

/** `[http[s]://][www.]host[:port][/locale][/embed]/entity/ID[/]` */
function parseUrl(text: string): PlatformAddress | null {
  const separator = text.indexOf('://');
  const scheme = separator < 0 ? '' : asciiLower(text.slice(0, separator));
  const rest = separator < 0 ? text : text.slice(separator + 3);
  const slash = rest.indexOf('/');
  if (slash < 0) return null;

  const platform = platformOf(rest.slice(0, slash), scheme);
  if (platform === undefined) return null;

  const segments = rest.slice(slash + 1).split('/');
  if (segments.at(-1) === '') segments.pop();
  const [entity = '', id = '', ...more] = withoutPrefixes(segments, [LOCALES[platform], /^embed$/]);
  return more.length > 0 ? null : checked(platform, entity, id);
}

function platformOf(authority: string, scheme: string): Platform | undefined {
  const colon = authority.indexOf(':');
  const host = asciiLower(colon < 0 ? authority : authority.slice(0, colon));
  const allowed = Object.hasOwn(DEFAULT_PORTS, scheme) ? DEFAULT_PORTS[scheme] : undefined;
  if (allowed === undefined) return undefined;
  if (colon >= 0 && !allowed.includes(authority.slice(colon + 1))) return undefined;
  return HOSTS.get(host.startsWith('www.') ? host.slice(4) : host);
}

/** Takes each prefix off once, in whatever order they come. */
function withoutPrefixes(segments: readonly string[], prefixes: readonly RegExp[]): readonly string[] {
  const [first, ...rest] = segments;
  const prefix = first === undefined ? undefined : prefixes.find((one) => one.test(first));
  if (prefix === undefined) return segments;
  return withoutPrefixes(
    rest,
    prefixes.filter((one) => one !== prefix),
  );
}

function checked(platform: Platform, entity: string, id: string): PlatformAddress | null {
  return /^[a-z]+$/.test(entity) && isPlatformId(platform, id) ? { platform, entity, id } : null;
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function indexOrEnd(text: string, pattern: RegExp): number {
  const index = text.search(pattern);
  return index < 0 ? text.length : index;
}

export type TrackAddress =
  | { readonly kind: 'track'; readonly platform: Platform; readonly trackId: string }
  | { readonly kind: 'refused'; readonly reason: AddressRefusal };

/** `other_kind`: an album, a playlist, an artist where a track is asked for, or the reverse. */
export type AddressRefusal = 'not_an_address' | 'other_platform' | 'other_kind';

/** The track that an address names on the platform in use, or why it names none. Nothing is asked of the platform. */
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

/** The artist that an address names on the platform in use, or why it names none: `POST /v1/artists` with a `url`. */
export function parseArtistAddress(text: string, platform: Platform): ArtistAddress {
  const address = parsePlatformAddress(text);
  if (address === null) return { kind: 'refused', reason: 'not_an_address' };
  if (address.platform !== platform) return { kind: 'refused', reason: 'other_platform' };
  if (address.entity !== 'artist') return { kind: 'refused', reason: 'other_kind' };
  return { kind: 'artist', platform, artistId: address.id };
}
