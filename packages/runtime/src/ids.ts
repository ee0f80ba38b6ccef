import { randomBytes, randomFillSync } from 'node:crypto';
import type { Id } from '@artist-watch/domain/ids';

export const ID_RANDOM_BYTES = 10;
const ARTIST_ID_RANDOM_BYTES = 16;

/**
 * A new id: a prefix of docs/reference/service.md, `_`, 12 hex digits of the Unix millisecond, 20 random hex digits.
 * Ids of one
 * prefix sort by their time as plain text, so a primary key grows at one end of its index; 80 random bits within each
 * millisecond keep replicas from meeting.
 *
 * @param random `ID_RANDOM_BYTES` bytes, for who must be able to make the same id again.
 */
export function newId<Prefix extends string>(prefix: Prefix, now: Date, random: Uint8Array = nextRandom()): Id<Prefix> {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${prefix}_${time}${Buffer.from(random).toString('hex')}` as Id<Prefix>;
}

/** Asking for the bytes of one id takes as long as asking for those of a hundred. */
const drawn = Buffer.alloc(ID_RANDOM_BYTES * 128);
let used = drawn.length;

function nextRandom(): Uint8Array {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_RANDOM_BYTES;
  return drawn.subarray(used - ID_RANDOM_BYTES, used);
}

/**
 * A new id of an artist. It has the form of the others and no time: an artist is stored once for all accounts, and when
 * the first of them began to watch it is nobody else's business.
 */
export function newArtistId(): Id<'art'> {
  return `art_${randomBytes(ARTIST_ID_RANDOM_BYTES).toString('hex')}` as Id<'art'>;
}
