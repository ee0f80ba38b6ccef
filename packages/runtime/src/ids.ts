import { randomBytes } from 'node:crypto';
import type { Id } from '@artist-watch/domain/ids';

const RANDOM_BYTES = 10;

/**
 * A new id: the prefix of DESIGN section 1, `_`, 12 hex digits of the Unix millisecond, 20 random hex digits. Ids of one
 * prefix sort by their time as plain text, so a primary key grows at one end of its index; 80 random bits within each
 * millisecond keep replicas from meeting.
 */
export function newId<Prefix extends string>(prefix: Prefix, now: Date): Id<Prefix> {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${prefix}_${time}${randomBytes(RANDOM_BYTES).toString('hex')}` as Id<Prefix>;
}
