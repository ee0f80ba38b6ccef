import { createHash, timingSafeEqual } from 'node:crypto';
import { IngestRefusal } from '../../application/refusal.js';

/** The scheme's name is case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Checks the one credential of ingest.
 *
 * @returns throws IngestRefusal `unauthorized` unless the header carries the token. Digests are compared, so that the
 *   time taken tells neither the token's length nor its first characters.
 */
export function bearerCheck(token: string): (authorization: string | undefined) => void {
  const expected = digest(token);
  return (authorization) => {
    const given = BEARER.exec(authorization ?? '')?.[1];
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new IngestRefusal('unauthorized', 'Send the ingest token as "Authorization: Bearer …".');
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
