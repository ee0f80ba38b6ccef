import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { bearerToken } from '@artist-watch/http/request/bearer-token';

/**
 * Checks the one credential of ingest.
 *
 * @returns throws ApiError `unauthorized` unless the header carries the token. Digests are compared, so that the time
 *   taken tells neither the token's length nor its first characters.
 */
export function bearerCheck(token: string): (authorization: string | undefined) => void {
  const expected = digest(token);
  return (authorization) => {
    const given = bearerToken(authorization);
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new ApiError('unauthorized', 'Send the ingest token as "Authorization: Bearer …".', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
