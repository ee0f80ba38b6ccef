import { createHash, randomBytes } from 'node:crypto';
import { ID_RANDOM_BYTES, newId } from '@artist-watch/runtime/ids';
import type { Visit } from './page.js';

/** A form may lie open for so long. */
const MAX_AGE_MS = 7 * 86_400_000;

const DRAFT = /^([0-9a-z]{8,9})\.[\w-]{22}$/;

/** A form that makes one thing, however often it is sent: twice by a click, again by a reload or by "back". */
export function newDraft(now: Date): string {
  return `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
}

/** A refusal of a form without a draft of ours, or with one that lay open for too long. */
export const TOO_OLD = { text: 'This form is too old. Send it once more.', status: 400 } as const;

/** The id of what the form makes, or has made. Undefined for what was never in one of our forms. */
export function draftedId<Prefix extends 'dst' | 'fed' | 'key' | 'shr'>(prefix: Prefix, { account, form, now }: Visit) {
  const draft = form.get('draft') ?? '';
  const [, time = ''] = DRAFT.exec(draft) ?? [];
  const at = Number.parseInt(time, 36);
  if (!(at <= now.getTime() && at > now.getTime() - MAX_AGE_MS)) return undefined;
  const digest = createHash('sha256').update(`${account.id}\n${draft}`).digest();
  return newId(prefix, new Date(at), digest.subarray(0, ID_RANDOM_BYTES));
}
