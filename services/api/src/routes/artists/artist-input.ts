import type { watchArtistSchema } from '@artist-watch/contracts/api/artist';
import { bulkWatchSchema } from '@artist-watch/contracts/api/artist-search';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { ARTIST_OPERATIONS } from '@artist-watch/contracts/api/operations/artist-operations';
import type { Platform } from '@artist-watch/domain/catalogue';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { csvLines, type Line } from '@artist-watch/track-lookup/artist/artist-lines';
import type { z } from 'zod';
import { parseBody } from '../../adapters/http/request/request-input.js';
import type { ApiRequest } from '../../adapters/http/route.js';

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
export function artistOf({ platform_id: id, url }: z.output<typeof watchArtistSchema>, platform: Platform): string {
  if (url !== undefined) {
    const address = parseArtistAddress(url, platform);
    if (address.kind === 'artist') return address.artistId;
    throw new ApiError('unsupported_url', MESSAGES[address.reason]);
  }
  // Whether an artist has it, the first reading will tell.
  if (id !== undefined && isPlatformId(platform, id)) return id;
  throw new ApiError('invalid_input', `"platform_id" ${PLATFORM_ID_FORMS[platform]}.`);
}

/** The lines of a list of artists, as JSON or CSV. @throws ApiError */
export async function linesOf(request: ApiRequest<typeof ARTIST_OPERATIONS.watchArtists>): Promise<readonly Line[]> {
  if (request.mediaType !== 'text/csv') {
    const { artists } = await request.readBody();
    return artists.map((text, index) => ({ number: index + 1, text }));
  }
  const lines = parseCsv(await request.readBytes());
  // The same rule, and the same sentence, as for JSON.
  parseBody(bulkWatchSchema, { artists: lines.map(({ text }) => text) });
  return lines;
}

function parseCsv(bytes: Uint8Array): Line[] {
  try {
    return csvLines(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ApiError('invalid_input', 'The body is not CSV in UTF-8 (RFC 4180).', { operatorText: String(error) });
  }
}
