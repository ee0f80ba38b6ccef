import type { Platform } from '../catalogue.js';
import { parsePlatformAddress } from './platform-address.js';

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
