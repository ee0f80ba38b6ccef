import { createHash, randomBytes } from 'node:crypto';
import type { ChangeId, Id } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { FeedPosition } from '@artist-watch/persistence/change/feed-range';
import { ID_RANDOM_BYTES, newId } from '@artist-watch/runtime/ids';
import { z } from 'zod';
import type { Visit } from './page.js';

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const LOCAL_AND_DOMAIN = /^[^\s@"<>,;:\\()[\]]{1,64}@[^\s@"<>,;:\\()[\]]{1,190}\.[^\s@"<>,;:\\()[\]]{2,60}$/;

/** Doesn't check whether the address exists, because only its mail server can confirm that. */
export function isEmailAddress(text: string): boolean {
  return LOCAL_AND_DOMAIN.test(text);
}

export function typedLine(text: string | null, maxChars: number): string {
  return [...(text ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, maxChars).join('');
}

/** Returns undefined unless the text is the prefix, an underscore and 32 hex digits. */
export function typedId<Prefix extends string>(prefix: Prefix, text: string | null | undefined) {
  const isId = text?.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(text.slice(prefix.length + 1));
  return isId ? (text as Id<Prefix>) : undefined;
}

/** @throws NotFound unless the text is the prefix, an underscore and 32 hex digits */
export function idOfPath<Prefix extends string>(prefix: Prefix, noun: string, text: string | undefined): Id<Prefix> {
  const id = typedId(prefix, text);
  if (id === undefined) throw new NotFound(noun);
  return id;
}

/** Returns the text of each field in a URL, the parsed values, and an error for each invalid field. */
export function readFields<Shape extends z.ZodRawShape>(query: URLSearchParams, shape: Shape) {
  type Name = keyof Shape & string;
  const typed: Partial<Record<Name, string>> = {};
  const read: { [Each in Name]?: z.output<Shape[Each]> } = {};
  const errors: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(shape) as Name[]) {
    const text = query.get(name)?.trim() ?? '';
    if (text === '') continue;
    typed[name] = text;
    const parsed = z.safeParse(shape[name] as Shape[Name], text);
    if (parsed.success) read[name] = parsed.data;
    else {
      const [issue] = parsed.error.issues;
      errors[name] = issue?.code === 'invalid_value' || !issue ? 'Choose one from the list.' : `It ${issue.message}.`;
    }
  }
  return { typed, read, errors };
}

/** @param read up to `size + 1` rows */
export function pageOfList<Row extends { readonly id: string }>(read: readonly Row[], size: number) {
  const shown = read.slice(0, size);
  return { shown, next: read.length > size ? (shown.at(-1)?.id as Row['id'] | undefined) : undefined };
}

export function addressOf(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).flatMap(([name, text]) => (text ? [[name, text]] : []));
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/**
 * Pages aren't numbered, because new rows would shift them.
 *
 * @param at the cursor of this page; undefined on the first page
 * @param next the cursor of the next page; undefined on the last page
 */
export function pagesOf(
  list: string,
  filter: Readonly<Record<string, string | undefined>>,
  [name, at, next]: readonly [name: string, at: string | undefined, next: string | undefined],
) {
  return {
    first: at === undefined ? undefined : addressOf(list, filter),
    next: next === undefined ? undefined : addressOf(list, { ...filter, [name]: next }),
  };
}

const MAX_AGE_MS = 7 * 86_400_000;

const DRAFT = /^([0-9a-z]{8,9})\.[\w-]{22}$/;

/** Creates the hidden value that makes a form idempotent. */
export function newDraft(now: Date): string {
  return `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
}

/** Returns the draft from a rejected form, so that the corrected form keeps the same draft. */
export function reusedDraft({ form, now }: Visit): string {
  const draft = form.get('draft') ?? '';
  return draftedAt(draft, now) ? draft : newDraft(now);
}

function draftedAt(draft: string, now: Date): Date | undefined {
  const at = Number.parseInt(DRAFT.exec(draft)?.[1] ?? '', 36);
  return at <= now.getTime() && at > now.getTime() - MAX_AGE_MS ? new Date(at) : undefined;
}

export const TOO_OLD = { text: 'This form has expired. Send it again.', status: 400 } as const;

export function draftedId<Prefix extends 'dst' | 'fed' | 'key' | 'shr'>(prefix: Prefix, { account, form, now }: Visit) {
  const draft = form.get('draft') ?? '';
  const at = draftedAt(draft, now);
  return at && newId(prefix, at, sha256(`${account.id}\n${draft}`).subarray(0, ID_RANDOM_BYTES));
}

const CURSOR = /^(\d{1,15})\.(chg_[0-9a-f]{32})$/;

export function positionIn(query: URLSearchParams): FeedPosition | undefined {
  const cursor = CURSOR.exec(query.get('after') ?? '');
  return cursor ? { confirmedAt: new Date(Number(cursor[1])), changeId: cursor[2] as ChangeId } : undefined;
}

export function positionText(position: FeedPosition | undefined): string | undefined {
  return position && `${position.confirmedAt.getTime()}.${position.changeId}`;
}

/** Node and browsers still list these zones under outdated names. */
const RENAMED: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
};

export const ZONES: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)]),
];

/**
 * Returns a zone's current name, or undefined if `Intl.DateTimeFormat` rejects the zone. Accepts more than ZONES,
 * because browsers also report other zones, such as `America/Argentina/Buenos_Aires`.
 */
export function knownZone(name: string | null): string | undefined {
  if (name === null || name === '') return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return undefined;
  }
  return RENAMED[name] ?? name;
}
