import type { Platform } from '../catalogue.js';
import { foldText } from '../comparison/value-identity.js';
import { parseArtistAddress } from './platform-address.js';
import { isPlatformId } from './platform-id.js';

/** What one line of a list of artists means. */
export type ArtistLine =
  | { readonly kind: 'id'; readonly platformId: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'invalid'; readonly reason: LineFault };

export type LineFault = 'empty' | 'too_long' | 'unreadable' | 'other_platform' | 'other_kind' | 'not_an_address';

/** The longest name that the platforms are searched for, in characters. */
export const MAX_NAME_CHARS = 100;

/** Nobody is called this: it begins with, or contains, what an address does. */
const LOOKS_LIKE_ADDRESS = /^(?:https?:|www\.|spotify:|deezer:)|(?:deezer|spotify)\.com\//i;

/** Control characters, and halves of a character. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;

/** An id of the platform, an address of an artist on it, or else a name: a name that has the form of an id is an id. */
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

/** Whether two names are the same, apart from letter case and white space. */
export function isSameName(a: string, b: string): boolean {
  return foldText(a).toLowerCase() === foldText(b).toLowerCase();
}
