import { z } from 'zod';
import { storableText } from '../ingest/field-types.js';

/** The form of the ids from packages/runtime/src/ids.ts. Other texts are rejected without a database read. */
const idSchema = (prefix: string, noun: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be the id of ${noun}, ${prefix}_…`)
    .meta({ example: `${prefix}_019e0f0c8c00b2f7a1d43e5f60718293` });

export const artistIdSchema = idSchema('art', 'an artist');
export const changeIdSchema = idSchema('chg', 'a change');
export const destinationIdSchema = idSchema('dst', 'a destination');
export const feedIdSchema = idSchema('fed', 'a feed');
export const deliveryIdSchema = idSchema('dlv', 'a delivery');

/** The form of the `{id}` in a path, by resource. */
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

/**
 * Marks a request field in which null differs from absence. Without it, Go structs of oapi-codegen cannot send null:
 * their pointers are omitted when nil.
 */
export function clearable<Field extends z.ZodType>(field: Field): Field {
  return field.meta({
    'x-go-type': 'nullable.Nullable[string]',
    'x-go-type-import': { path: 'github.com/oapi-codegen/nullable' },
    'x-go-type-skip-optional-pointer': true,
  });
}

/** A name that an account gives to one of its resources. */
export const ownNameSchema = clearable(
  storableText(MAX_OWN_NAME_CHARS)
    .refine(
      (name) => new RegExp(OWN_NAME).test(name),
      'must not be empty, start with a space or contain control characters',
    )
    .nullable(),
).meta({
  description: `For people, 1 to ${MAX_OWN_NAME_CHARS} characters. Null for none.`,
  pattern: OWN_NAME,
  maxLength: MAX_OWN_NAME_CHARS,
  minLength: 1,
});

/** A time in a response: UTC, milliseconds, `Z`. */
export const instantSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time', example: '2026-05-01T12:00:00.000Z' });

/** The largest page, and the default for `limit` (docs/reference/api.md). */
export const MAX_PAGE_ITEMS = 200;

/** A decimal query parameter of one to three digits, from 1. */
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
  description: 'The most items of the page.',
});

/** The same for a list that is complete by default. */
export const limitOfWholeSchema = limitForm.meta({
  ...LIMIT_META,
  description: 'The most items of the page. Default: all.',
});

export const cursorSchema = z.string().meta({
  pattern: '^[A-Za-z0-9_-]+$',
  minLength: 24,
  maxLength: 4_096,
  description:
    '`next_cursor` of the previous page. It belongs to one list of one account. For the next page send only `cursor` (and `limit`).',
});

/** `after` of changes: a position in the order in which changes become readable. */
export const afterSchema = z.string().meta({
  pattern: '^(now|[A-Za-z0-9_-]{24,})$',
  maxLength: 4_096,
  description:
    'A `next_cursor` of an earlier response to a request with `after`, or `now` to start after the newest change. The ' +
    'changes come in the order in which they become readable. Any filters can be used with it.',
});

/** The query parameters of a list in pages. */
export const pageParameters = { limit: limitSchema.optional(), cursor: cursorSchema.optional() };

export const nextCursorSchema = z
  .string()
  .nullable()
  .meta({ description: 'Send it as `cursor` to get the next page. Null on the last page. `Link` has the whole URL.' });

/** A page of a list. @param order the order of the items, for the documentation */
export function listOf<Item extends z.ZodType>(id: string, item: Item, order: string) {
  return z.object({ data: z.array(item).describe(order), next_cursor: nextCursorSchema }).meta({ id });
}
