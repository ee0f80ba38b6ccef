import type { Platform } from '../catalogue.js';
import { foldText } from '../comparison/value-identity.js';
import { parseArtistAddress } from './platform-address.js';
import { isPlatformId } from './platform-id.js';

export type ArtistLine =
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
