import { z } from 'zod';
import { storableText } from '../ingest/field-types.js';

/** Any other text is rejected without a database query (packages/runtime/src/ids.ts). */
const idSchema = (prefix: string, noun: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be the id of ${noun}, ${prefix}_…`)
    .meta({ example: `${prefix}_019e0f0c8c00b2f7a1d43e5f60718293` });

export const artistIdSchema = idSchema('art', 'an artist');
export const changeIdSchema = idSchema('chg', 'a change');
export const destinationIdSchema = idSchema('dst', 'a destination');
export const feedIdSchema = idSchema('fed', 'a feed');
export const groupIdSchema = idSchema('grp', 'a group');
export const deliveryIdSchema = idSchema('dlv', 'a delivery');

export const ID_SCHEMAS = {
  artist: artistIdSchema,
  change: changeIdSchema,
  destination: destinationIdSchema,
  delivery: deliveryIdSchema,
  feed: feedIdSchema,
  group: groupIdSchema,
} as const;

export type IdNoun = keyof typeof ID_SCHEMAS;

export const MAX_OWN_NAME_CHARS = 100;

const OWN_NAME = '^[^ \\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

/**
 * Marks a field where null means something other than an omitted field. Without this, Go code from oapi-codegen could
 * not send null.
 */
export function clearable<Field extends z.ZodType>(field: Field): Field {
  return field.meta({
    'x-go-type': 'nullable.Nullable[string]',
    'x-go-type-import': { path: 'github.com/oapi-codegen/nullable' },
    'x-go-type-skip-optional-pointer': true,
  });
}

export const ownNameSchema = clearable(
  storableText(MAX_OWN_NAME_CHARS)
    .refine(
      (name) => new RegExp(OWN_NAME).test(name),
      'must not be empty, start with a space or contain control characters',
    )
    .nullable(),
).meta({
  description: `A name of 1 to ${MAX_OWN_NAME_CHARS} characters. Null for no name.`,
  pattern: OWN_NAME,
  maxLength: MAX_OWN_NAME_CHARS,
  minLength: 1,
});

/** A time in UTC, with milliseconds and `Z`. */
export const instantSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time', example: '2026-05-01T12:00:00.000Z' });

/** The maximum `limit`, which is also the default (docs/api/requests.md). */
export const MAX_PAGE_ITEMS = 200;

export function wholeNumber(max: number, message: string) {
  return z
    .string()
    .regex(/^[1-9]\d{0,2}$/, message)
    .transform(Number)
    .refine((number) => number <= max, message);
}

const limitForm = wholeNumber(MAX_PAGE_ITEMS, `"limit" must be a single whole number from 1 to ${MAX_PAGE_ITEMS}.`);
const LIMIT_META = { type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS } as const;

export const limitSchema = limitForm.meta({
  ...LIMIT_META,
  default: MAX_PAGE_ITEMS,
  description: 'The maximum number of items on the page.',
});

/** For lists that return all items by default. */
export const limitOfWholeSchema = limitForm.meta({
  ...LIMIT_META,
  description: 'The maximum number of items on the page. Default: all items.',
});

export const cursorSchema = z.string().meta({
  pattern: '^[A-Za-z0-9_-]+$',
  minLength: 24,
  maxLength: 4_096,
  description:
    'The `next_cursor` of the previous page. It is valid only for the same list and account. ' +
    'To get the next page, send only `cursor` (and `limit`).',
});

export const afterSchema = z.string().meta({
  pattern: '^(now|[A-Za-z0-9_-]{24,})$',
  maxLength: 4_096,
  description:
    'The `next_cursor` from an earlier response to a request with `after`, or `now` to start after the newest change. ' +
    'Changes are listed in the order in which they become available. You can combine `after` with any filters.',
});

export const pageParameters = { limit: limitSchema.optional(), cursor: cursorSchema.optional() };

export const nextCursorSchema = z.string().nullable().meta({
  description:
    'To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page.',
});

/** @param order how the items are sorted, for the documentation */
export function listOf<Item extends z.ZodType>(id: string, item: Item, order: string) {
  return z.object({ data: z.array(item).describe(order), next_cursor: nextCursorSchema }).meta({ id });
}
