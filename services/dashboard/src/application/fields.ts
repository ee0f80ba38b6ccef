import { createHash, randomBytes } from 'node:crypto';
import type { ChangeId, Id } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { FeedPosition } from '@artist-watch/persistence/change/feed-range';
import { ID_RANDOM_BYTES, newId } from '@artist-watch/runtime/ids';
import { z } from 'zod';
import type { Visit } from './page.js';

/** Hashes a token. Only hashes are stored, so lookups use them too. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const LOCAL_AND_DOMAIN = /^[^\s@"<>,;:\\()[\]]{1,64}@[^\s@"<>,;:\\()[\]]{1,190}\.[^\s@"<>,;:\\()[\]]{2,60}$/;

/** True if the text has the form of an email address. Whether the address exists is known only to its mail server. */
export function isEmailAddress(text: string): boolean {
  return LOCAL_AND_DOMAIN.test(text);
}

/** Converts an entered name or search text to one line without control characters. */
export function typedLine(text: string | null, maxChars: number): string {
  return [...(text ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, maxChars).join('');
}

/**
 * Parses an id from a form or URL. Returns undefined unless the text is the prefix, an underscore and 32 hex digits.
 */
export function typedId<Prefix extends string>(prefix: Prefix, text: string | null | undefined) {
  const isId = text?.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(text.slice(prefix.length + 1));
  return isId ? (text as Id<Prefix>) : undefined;
}

/** Parses the id in a path. @throws NotFound unless the text is the prefix, an underscore and 32 hex digits */
export function idOfPath<Prefix extends string>(prefix: Prefix, noun: string, text: string | undefined): Id<Prefix> {
  const id = typedId(prefix, text);
  if (id === undefined) throw new NotFound(noun);
  return id;
}

/**
 * Parses the fields that are set in a URL. Returns their texts, the parsed values, and the errors of invalid fields.
 *
 * @param shape the schema of each field
 */
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
    else errors[name] = parsed.error.issues[0]?.message ?? 'is not known';
  }
  return { typed, read, errors };
}

/**
 * Returns a page of a list, and the cursor of the next page. @param read the rows that were read: up to one more than
 * the page has
 */
export function pageOfList<Row extends { readonly id: string }>(read: readonly Row[], size: number) {
  const shown = read.slice(0, size);
  return { shown, next: read.length > size ? (shown.at(-1)?.id as Row['id'] | undefined) : undefined };
}

/** Appends fields to a path as its query. Fields without a value are omitted. */
export function addressOf(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).flatMap(([name, text]) => (text ? [[name, text]] : []));
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/**
 * Returns the URLs of a list's first and next page, with its filter. Pages have no numbers, because new rows shift
 * them.
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

/** The longest time between opening a form and sending it. */
const MAX_AGE_MS = 7 * 86_400_000;

const DRAFT = /^([0-9a-z]{8,9})\.[\w-]{22}$/;

/**
 * Creates the hidden value that makes a form idempotent. A double click, a reload or "back" then creates nothing new.
 */
export function newDraft(now: Date): string {
  return `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
}

/** Returns the draft of a rejected form, so that it can be sent again. Returns a new draft if there is none. */
export function reusedDraft({ form, now }: Visit): string {
  const draft = form.get('draft') ?? '';
  return draftedAt(draft, now) ? draft : newDraft(now);
}

/** Returns the time when a draft was created. Undefined if it is invalid or has expired. */
function draftedAt(draft: string, now: Date): Date | undefined {
  const at = Number.parseInt(DRAFT.exec(draft)?.[1] ?? '', 36);
  return at <= now.getTime() && at > now.getTime() - MAX_AGE_MS ? new Date(at) : undefined;
}

/** The error for a form whose draft is missing or has expired. */
export const TOO_OLD = { text: 'This form has expired. Send it again.', status: 400 } as const;

/** Returns the id of the object that the form creates or has already created. Undefined if the form has expired. */
export function draftedId<Prefix extends 'dst' | 'fed' | 'key' | 'shr'>(prefix: Prefix, { account, form, now }: Visit) {
  const draft = form.get('draft') ?? '';
  const at = draftedAt(draft, now);
  return at && newId(prefix, at, sha256(`${account.id}\n${draft}`).subarray(0, ID_RANDOM_BYTES));
}

const CURSOR = /^(\d{1,15})\.(chg_[0-9a-f]{32})$/;

/** Parses the position that `positionText` wrote into a URL. */
export function positionIn(query: URLSearchParams): FeedPosition | undefined {
  const cursor = CURSOR.exec(query.get('after') ?? '');
  return cursor ? { confirmedAt: new Date(Number(cursor[1])), changeId: cursor[2] as ChangeId } : undefined;
}

/** Formats a position in a list of changes for a URL. */
export function positionText(position: FeedPosition | undefined): string | undefined {
  return position && `${position.confirmedAt.getTime()}.${position.changeId}`;
}
