import { randomBytes, randomFillSync } from 'node:crypto';
import type { Id } from '@artist-watch/domain/ids';

export const ID_RANDOM_BYTES = 10;
const ARTIST_ID_RANDOM_BYTES = 16;

/**
 * Returns a prefix (docs/reference/service.md), `_`, the time in milliseconds as 12 hex digits, and 20 random hex
 * digits. Ids with the same prefix sort by time.
 */
export function newId<Prefix extends string>(prefix: Prefix, now: Date, random: Uint8Array = nextRandom()): Id<Prefix> {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${prefix}_${time}${Buffer.from(random).toString('hex')}` as Id<Prefix>;
}

/** Fetching many random bytes in one call takes about as long as fetching a few. */
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

/** The id contains no timestamp, so it doesn't reveal when the first account started watching the artist. */
export function newArtistId(): Id<'art'> {
  return `art_${randomBytes(ARTIST_ID_RANDOM_BYTES).toString('hex')}` as Id<'art'>;
}
