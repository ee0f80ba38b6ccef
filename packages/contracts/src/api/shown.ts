import type { z } from 'zod';

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
