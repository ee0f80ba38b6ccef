import { CHANGE_TYPES, ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
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

const limitSchema = limitForm.meta({
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

const NEXT_CURSOR =
  'To get the next page, send this as `cursor`, or use the URL in the `Link` header. Null on the last page.';

/**
 * @param order how the items are sorted, for the documentation
 * @param nextCursor the description of `next_cursor`
 */
export function listOf<Item extends z.ZodType>(id: string, item: Item, order: string, nextCursor = NEXT_CURSOR) {
  const next_cursor = z.string().nullable().meta({ description: nextCursor });
  return z.object({ data: z.array(item).describe(order), next_cursor }).meta({ id });
}

/** OpenAPI cannot describe an enum that may grow. Some code generators support this extension instead. */
const KNOWN_VALUES = 'x-extensible-enum';

/** Documents response enums as strings, so that clients accept values added later. */
export function openEnum<const Values extends readonly string[]>(values: Values, meaning = '') {
  const known = `Known values: ${values.map((value) => `\`${value}\``).join(', ')}. New values may be added, so accept unknown ones.`;
  return z
    .enum(values)
    .meta({ type: 'string', [KNOWN_VALUES]: [...values], description: `${meaning} ${known}`.trim() });
}

/** Metadata for a nullable enum. */
export const OR_NULL = { type: ['string', 'null'] } satisfies { type: ('string' | 'null')[] };

/** Documents request enums as patterns, because code generators emit a file for each enum. */
export function oneOf<const Values extends readonly string[]>(values: Values, orElse = '') {
  return z
    .enum(values, { error: `must be one of ${values.join(', ')}${orElse}` })
    .meta({ type: 'string', pattern: `^(?:${values.join('|')})$`, [KNOWN_VALUES]: [...values] });
}

export const severitySchema = openEnum(SEVERITIES, 'The severity of a change, highest first.').meta({ id: 'Severity' });

export const entityTypeSchema = openEnum(ENTITY_TYPES, 'The kind of entity that changed.').meta({ id: 'EntityType' });

const KNOWN_TYPES = Object.keys(CHANGE_TYPES);

export const changeTypeSchema = z.string().meta({
  id: 'ChangeType',
  description: `Known values: ${KNOWN_TYPES.map((type) => `\`${type}\``).join(', ')}. New values may be added, so accept unknown ones.`,
  [KNOWN_VALUES]: KNOWN_TYPES,
  example: 'release_removed',
});

/** `created_at` becomes `createdAt`. */
type OurName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<OurName<Rest>>}` : Name;

type OurValue<Name, Value> = Name extends 'at' | `${string}_at` | `${string}_since`
  ? Value extends string
    ? Date
    : Value
  : Value extends readonly (infer Entry)[]
    ? readonly Entry[]
    : Value;

/** An item as read from the database, with camel-case names and Date objects. */
export type Shown<Item> = { readonly [Name in keyof Item as OurName<Name>]: OurValue<Name, Item[Name]> };

/** Like `Shown`, but nullable fields can also be undefined. */
export type Given<Item> = {
  readonly [Name in keyof Shown<Item>]: null extends Shown<Item>[Name]
    ? Shown<Item>[Name] | undefined
    : Shown<Item>[Name];
};

/** Returns a function that creates a response with exactly the schema's fields, in the same order. */
export function presenter<Schema extends z.ZodObject>(
  schema: Schema,
): (given: Given<z.infer<Schema>>) => z.infer<Schema> {
  const names = Object.keys(schema.shape).map((name) => [name, ourName(name)] as const);
  return (given) => {
    const fields = given as Readonly<Record<string, unknown>>;
    return Object.fromEntries(names.map(([name, ours]) => [name, presented(fields[ours])])) as z.infer<Schema>;
  };
}

/** Converts only field names, not values. */
export function inOurNames<Item extends object>(item: Item): { [Name in keyof Item as OurName<Name>]: Item[Name] } {
  const ours: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) ours[ourName(name)] = value;
  return ours as ReturnType<typeof inOurNames<Item>>;
}

/** Caches names, because an ingest batch converts the same few names a thousand times. */
const known = new Map<string, string>();

/** `created_at` becomes `createdAt`. */
export function ourName(name: string): string {
  const ours = known.get(name) ?? name.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
  known.set(name, ours);
  return ours;
}

function presented(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
