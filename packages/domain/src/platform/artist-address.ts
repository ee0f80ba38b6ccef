import type { Platform } from '../catalogue.js';
import { parsePlatformAddress } from './platform-address.js';
import type { AddressRefusal } from './track-address.js';

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
