import { z } from 'zod';
import { storableText } from '../ingest/field-types.js';

/** Ids as packages/runtime/src/ids.ts makes them. What has another form is no id of ours, and is never looked up. */
const idSchema = (prefix: string, of: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be the id of ${of}, ${prefix}_…`)
    .meta({ example: `${prefix}_019e0f0c8c00b2f7a1d43e5f60718293` });

export const artistIdSchema = idSchema('art', 'an artist');
export const changeIdSchema = idSchema('chg', 'a change');
export const destinationIdSchema = idSchema('dst', 'a destination');
export const feedIdSchema = idSchema('fed', 'a feed');
export const deliveryIdSchema = idSchema('dlv', 'a delivery');

/** By what an `{id}` of a path is the id of. */
export const ID_SCHEMAS = {
  artist: artistIdSchema,
  change: changeIdSchema,
  destination: destinationIdSchema,
  delivery: deliveryIdSchema,
  feed: feedIdSchema,
} as const;

export type IdNoun = keyof typeof ID_SCHEMAS;

export const MAX_OWN_NAME_CHARS = 100;

const OWN_NAME = '^[^ \\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

/** What an account calls something of its own. */
export const ownNameSchema = storableText(MAX_OWN_NAME_CHARS)
  .refine((name) => new RegExp(OWN_NAME).test(name), 'must not be empty, begin with a space or hold control characters')
  .nullable()
  .meta({
    description: `For people, 1 to ${MAX_OWN_NAME_CHARS} characters; null for none.`,
    pattern: OWN_NAME,
    maxLength: MAX_OWN_NAME_CHARS,
    minLength: 1,
  });

/** How every instant is written in an answer: UTC, milliseconds, `Z`. */
export const instantSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time', example: '2026-05-01T12:00:00.000Z' });

/** At most so many items in one answer, and as many unless `limit` says less (docs/reference/api.md). */
export const MAX_PAGE_ITEMS = 200;

/** A query parameter from 1 to three digits: decimal, nothing else. */
export function wholeNumber(max: number, message: string) {
  return z
    .string()
    .regex(/^[1-9]\d{0,2}$/, message)
    .transform(Number)
    .refine((number) => number <= max, message);
}

const limitForm = wholeNumber(MAX_PAGE_ITEMS, `"limit" must be one whole number from 1 to ${MAX_PAGE_ITEMS}.`);
const LIMIT_META = { type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS } as const;

export const limitSchema = limitForm.meta({
  ...LIMIT_META,
  default: MAX_PAGE_ITEMS,
  description: 'How many items the page has at most.',
});

/** The same of a list that comes whole without it. */
export const limitOfWholeSchema = limitForm.meta({
  ...LIMIT_META,
  description: 'How many items the page has at most; all unless given.',
});

export const cursorSchema = z.string().meta({
  pattern: '^[A-Za-z0-9_-]+$',
  minLength: 24,
  maxLength: 4_096,
  description: '`next_cursor` of the page before. It belongs to one list of one account.',
});

/** `after` of changes: a position in the order in which changes become readable. */
export const afterSchema = z.string().meta({
  pattern: '^(now|[A-Za-z0-9_-]{24,})$',
  maxLength: 4_096,
  description:
    'A `next_cursor` of an earlier response to a request with `after`, or `now` to start after the newest change. The ' +
    'changes come in the order in which they become readable. Any filters can be used with it.',
});

/** The query parameters of a list that is answered in pages. */
export const pageParameters = { limit: limitSchema.optional(), cursor: cursorSchema.optional() };

export const nextCursorSchema = z
  .string()
  .nullable()
  .meta({ description: 'Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address.' });

/** The answer of a list. @param order of the items, for the documentation. */
export function listOf<Item extends z.ZodType>(id: string, item: Item, order: string) {
  return z.object({ data: z.array(item).describe(order), next_cursor: nextCursorSchema }).meta({ id });
}
