import { createHash, randomBytes } from 'node:crypto';
import { ID_RANDOM_BYTES, newId } from '@artist-watch/runtime/ids';

/** A form may lie open for so long. */
const MAX_AGE_MS = 7 * 86_400_000;

const DRAFT = /^([0-9a-z]{8,9})\.[\w-]{22}$/;

/** A form that makes one thing, however often it is sent: twice by a click, again by a reload or by "back". */
export function newDraft(now: Date): string {
  return `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
}

/** The id of what the form makes, or has made. Undefined for what was never in one of our forms. */
export function draftedId<Prefix extends 'dst' | 'fed' | 'key' | 'shr'>(
  prefix: Prefix,
  draft: string,
  accountId: string,
  now: Date,
) {
  const [, time = ''] = DRAFT.exec(draft) ?? [];
  const at = Number.parseInt(time, 36);
  if (!(at <= now.getTime() && at > now.getTime() - MAX_AGE_MS)) return undefined;
  const digest = createHash('sha256').update(`${accountId}\n${draft}`).digest();
  return newId(prefix, new Date(at), digest.subarray(0, ID_RANDOM_BYTES));
}
