import { createHash, randomBytes } from 'node:crypto';
import type { Id } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { ID_RANDOM_BYTES, newId } from '@artist-watch/runtime/ids';
import { z } from 'zod';
import type { Visit } from './page.js';

/** What the record keeps of a token, and finds it by. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const LOCAL_AND_DOMAIN = /^[^\s@"<>,;:\\()[\]]{1,64}@[^\s@"<>,;:\\()[\]]{1,190}\.[^\s@"<>,;:\\()[\]]{2,60}$/;

/** Has it the shape of a mail address? Whether there is such an address, the mail server knows. */
export function isEmailAddress(text: string): boolean {
  return LOCAL_AND_DOMAIN.test(text);
}

/** What was typed as one line: names and words have no control characters. */
export function typedLine(text: string | null, maxChars: number): string {
  return [...(text ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, maxChars).join('');
}

/** An id that somebody typed, or a link has; undefined for what is none. */
export function typedId<Prefix extends string>(prefix: Prefix, text: string | null | undefined) {
  const isId = text?.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(text.slice(prefix.length + 1));
  return isId ? (text as Id<Prefix>) : undefined;
}

/** An id that the path has. @throws NotFound for what is none */
export function idOfPath<Prefix extends string>(prefix: Prefix, noun: string, text: string | undefined): Id<Prefix> {
  const id = typedId(prefix, text);
  if (id === undefined) throw new NotFound(noun);
  return id;
}

/**
 * The fields of an address that are set: as they were typed, what is read of them, and what is wrong with the rest.
 *
 * @param shape how each is read
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

/** A page of a list, and the cursor of the next one. @param read one more than the page has, where the list goes on */
export function pageOfList<Row extends { readonly id: string }>(read: readonly Row[], size: number) {
  const shown = read.slice(0, size);
  return { shown, next: read.length > size ? (shown.at(-1)?.id as Row['id'] | undefined) : undefined };
}

/** A path with the fields that are set. */
export function addressOf(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).flatMap(([name, text]) => (text ? [[name, text]] : []));
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/**
 * The addresses of a list's pages, with what it is filtered by. There is no page number: the list moves while it is read.
 *
 * @param at the cursor of this page; undefined on the first one
 * @param next the cursor of the next page; undefined on the last one
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

/** A form may lie open for so long. */
const MAX_AGE_MS = 7 * 86_400_000;

const DRAFT = /^([0-9a-z]{8,9})\.[\w-]{22}$/;

/** A form that makes one thing, however often it is sent: twice by a click, again by a reload or by "back". */
export function newDraft(now: Date): string {
  return `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
}

/** That of a form that was refused, to be sent again; a new one where none was sent. */
export function keptDraft({ form, now }: Visit): string {
  const draft = form.get('draft') ?? '';
  return draftedAt(draft, now) ? draft : newDraft(now);
}

/** Undefined for what was never in one of our forms, and for a form that lay open for too long. */
function draftedAt(draft: string, now: Date): Date | undefined {
  const at = Number.parseInt(DRAFT.exec(draft)?.[1] ?? '', 36);
  return at <= now.getTime() && at > now.getTime() - MAX_AGE_MS ? new Date(at) : undefined;
}

/** A refusal of a form without a draft of ours, or with one that lay open for too long. */
export const TOO_OLD = { text: 'This form is too old. Send it once more.', status: 400 } as const;

/** The id of what the form makes, or has made; undefined for one that is too old. */
export function draftedId<Prefix extends 'dst' | 'fed' | 'key' | 'shr'>(prefix: Prefix, { account, form, now }: Visit) {
  const draft = form.get('draft') ?? '';
  const at = draftedAt(draft, now);
  return at && newId(prefix, at, sha256(`${account.id}\n${draft}`).subarray(0, ID_RANDOM_BYTES));
}
