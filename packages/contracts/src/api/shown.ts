import type { z } from 'zod';

/** `created_at` as our own code writes it: `createdAt`. */
type OurName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<OurName<Rest>>}` : Name;

type OurValue<Name, Value> = Name extends 'at' | `${string}_at` | `${string}_since`
  ? Value extends string
    ? Date
    : Value
  : Value extends readonly (infer Entry)[]
    ? readonly Entry[]
    : Value;

/** What an item of an answer is made of, as the record has it: the same fields in our own names, instants as dates. */
export type Shown<Item> = { readonly [Name in keyof Item as OurName<Name>]: OurValue<Name, Item[Name]> };

/** Undefined is given for null as well: a reading leaves out what it does not know. */
export type Given<Item> = {
  readonly [Name in keyof Shown<Item>]: null extends Shown<Item>[Name]
    ? Shown<Item>[Name] | undefined
    : Shown<Item>[Name];
};

/** @returns what makes an item of the schema: its fields in its order, and nothing else of what is given. */
export function presenter<Schema extends z.ZodObject>(
  schema: Schema,
): (given: Given<z.infer<Schema>>) => z.infer<Schema> {
  const names = Object.keys(schema.shape).map((name) => [name, ourName(name)] as const);
  return (given) => {
    const fields = given as Readonly<Record<string, unknown>>;
    return Object.fromEntries(names.map(([name, ours]) => [name, presented(fields[ours])])) as z.infer<Schema>;
  };
}

/** An object of a request in our own names, its values as they are. */
export function inOurNames<Item extends object>(item: Item): { [Name in keyof Item as OurName<Name>]: Item[Name] } {
  const ours: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) ours[ourName(name)] = value;
  return ours as ReturnType<typeof inOurNames<Item>>;
}

/** Of the fields of schemas, which are few: a batch of the ingest asks for each a thousand times. */
const known = new Map<string, string>();

function ourName(name: string): string {
  const ours = known.get(name) ?? name.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
  known.set(name, ours);
  return ours;
}

function presented(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
