import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { actionSchema } from './actions.js';
import { castName, duration, memberSchema } from './cast.js';

/** To the second; or a span, where it depends on when the rotation of closer readings comes by, or on failed ones. */
const timeSchema = z.union([duration, z.strictObject({ from: duration, to: duration })]);

/** A change that whoever watches must come to, with times from the moment in which the scenario begins. */
const expectedChangeSchema = z.strictObject({
  type: z.string(),
  entity: castName,
  severity: z.enum(['critical', 'warning', 'info']),
  state: z.enum(['confirmed', 'dismissed']).default('confirmed'),
  detected_at: timeSchema,
  /** Since it was detected; of confirmed ones. */
  confirmed_after: timeSchema.optional(),
});

const scenarioSchema = z
  .strictObject({
    name: z.string().min(1),
    about: z.string().optional(),
    /** Of the account that watches: how often the artists are read. */
    plan: z.enum(['free', 'starter', 'pro', 'business']).default('business'),
    cast: z.record(castName, memberSchema),
    /** The artists that are watched; all of the cast unless given. */
    watch: z.array(castName).min(1).optional(),
    events: z.array(actionSchema),
    /** When everything that follows has followed. */
    until: duration,
    expect: z.array(expectedChangeSchema),
  })
  .refine(({ events, until }) => events.every(({ at = 0 }) => at <= until), 'An event is after the end.');

export type Scenario = z.output<typeof scenarioSchema>;
export type ExpectedChange = z.output<typeof expectedChangeSchema>;

const directory = new URL('../../scenarios/', import.meta.url);
const EXTENSION = '.yaml';

/** The names of all scenarios. */
export function libraryNames(): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort();
}

/** Throws a sentence for each mistake of the file, with its place. */
export function libraryScenario(name: string): Scenario {
  const checked = scenarioSchema.safeParse(parse(readFileSync(new URL(`${name}${EXTENSION}`, directory), 'utf8')));
  if (!checked.success) throw new Error(`${name}${EXTENSION}: ${z.prettifyError(checked.error)}`);
  return checked.data;
}
