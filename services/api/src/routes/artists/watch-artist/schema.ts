import { watchArtistSchema } from '@artist-watch/contracts/api/artist';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { parseBody } from '../../../adapters/http/request/input.js';

const MESSAGES = {
  not_an_address: '"url" is not the address of an artist.',
  other_platform: '"url" is an address of another platform than the one that is watched here.',
  other_kind: '"url" is not the address of an artist, but of something else.',
} as const;

/**
 * The platform id of the artist that the body means.
 *
 * @throws ApiError `invalid_input`, `unsupported_url`
 */
export function parseWatchArtist(json: unknown, platform: Platform): string {
  const { platform_id: platformId, url } = parseBody(watchArtistSchema, json);
  if (url !== undefined) {
    const address = parseArtistAddress(url, platform);
    if (address.kind === 'artist') return address.artistId;
    throw new ApiError('unsupported_url', MESSAGES[address.reason]);
  }
  // Whether an artist has it, the first reading will tell.
  if (platformId !== undefined && isPlatformId(platform, platformId)) return platformId;
  throw new ApiError('invalid_input', `"platform_id" ${PLATFORM_ID_FORMS[platform]}.`);
}
