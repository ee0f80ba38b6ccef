/** `created_at` as our own code writes it: `createdAt`. */
type OurName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<OurName<Rest>>}` : Name;

type OurValue<Name, Value> = Name extends `${string}_at` | `${string}_since`
  ? Value extends string
    ? Date
    : Value
  : Value extends readonly (infer Entry)[]
    ? readonly Entry[]
    : Value;

/** What an item of an answer is made of, as the record has it: the same fields in our own names, instants as dates. */
export type Shown<Item> = { readonly [Name in keyof Item as OurName<Name>]: OurValue<Name, Item[Name]> };
