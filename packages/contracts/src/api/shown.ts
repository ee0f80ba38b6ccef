import type { z } from 'zod';

/** Converts a name such as `created_at` to `createdAt`. */
type OurName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<OurName<Rest>>}` : Name;

type OurValue<Name, Value> = Name extends 'at' | `${string}_at` | `${string}_since`
  ? Value extends string
    ? Date
    : Value
  : Value extends readonly (infer Entry)[]
    ? readonly Entry[]
    : Value;

/** An item as read from the database. It has the same fields, but in camel case and with Dates. */
export type Shown<Item> = { readonly [Name in keyof Item as OurName<Name>]: OurValue<Name, Item[Name]> };

/** Like `Shown`, but a nullable field can also be undefined. Observations use undefined for unknown values. */
export type Given<Item> = {
  readonly [Name in keyof Shown<Item>]: null extends Shown<Item>[Name]
    ? Shown<Item>[Name] | undefined
    : Shown<Item>[Name];
};

/**
 * Returns a function that converts a database item to a response. The result has exactly the fields of the schema, in
 * the same order.
 */
export function presenter<Schema extends z.ZodObject>(
  schema: Schema,
): (given: Given<z.infer<Schema>>) => z.infer<Schema> {
  const names = Object.keys(schema.shape).map((name) => [name, ourName(name)] as const);
  return (given) => {
    const fields = given as Readonly<Record<string, unknown>>;
    return Object.fromEntries(names.map(([name, ours]) => [name, presented(fields[ours])])) as z.infer<Schema>;
  };
}

/** Converts the field names of a request object to camel case. Values stay unchanged. */
export function inOurNames<Item extends object>(item: Item): { [Name in keyof Item as OurName<Name>]: Item[Name] } {
  const ours: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) ours[ourName(name)] = value;
  return ours as ReturnType<typeof inOurNames<Item>>;
}

/** Caches converted names. There are few names, but an ingest batch converts each of them a thousand times. */
const known = new Map<string, string>();

function ourName(name: string): string {
  const ours = known.get(name) ?? name.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
  known.set(name, ours);
  return ours;
}

function presented(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
