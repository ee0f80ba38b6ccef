import { randomBytes, randomFillSync } from 'node:crypto';
import type { Id } from '@artist-watch/domain/ids';

export const ID_RANDOM_BYTES = 10;
const ARTIST_ID_RANDOM_BYTES = 16;

/**
 * Returns a new id: a prefix (docs/reference/service.md), `_`, the Unix time in milliseconds as 12 hex digits, and 20
 * random hex digits. Ids with the same prefix sort by time when sorted as text, so that a primary key grows at one end
 * of its index. The 80 random bits prevent collisions between replicas within a millisecond.
 *
 * @param random `ID_RANDOM_BYTES` bytes, for callers that must be able to create the same id again.
 */
export function newId<Prefix extends string>(prefix: Prefix, now: Date, random: Uint8Array = nextRandom()): Id<Prefix> {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${prefix}_${time}${Buffer.from(random).toString('hex')}` as Id<Prefix>;
}

/** A supply of random bytes for 128 ids. One call for many bytes takes about as long as one call for a few. */
const pool = Buffer.alloc(ID_RANDOM_BYTES * 128);
let usedBytes = pool.length;

function nextRandom(): Uint8Array {
  if (usedBytes === pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += ID_RANDOM_BYTES;
  return pool.subarray(usedBytes - ID_RANDOM_BYTES, usedBytes);
}

/**
 * Returns a new artist id. It does not contain a time, because all accounts share one row per artist and the id must
 * not reveal when the first account started to watch.
 */
export function newArtistId(): Id<'art'> {
  return `art_${randomBytes(ARTIST_ID_RANDOM_BYTES).toString('hex')}` as Id<'art'>;
}
