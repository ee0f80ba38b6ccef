import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { actionSchema } from './actions.js';
import { castName, duration, memberSchema } from './cast.js';

/** A time is a range if it depends on failures or on the rotation of detailed reads. */
const timeSchema = z.union([duration, z.strictObject({ from: duration, to: duration })]);

/** Times are relative to the start of the scenario. */
const expectedChangeSchema = z.strictObject({
  type: z.string(),
  entity: castName,
  severity: z.enum(['critical', 'warning', 'info']),
  state: z.enum(['confirmed', 'dismissed']).default('confirmed'),
  detected_at: timeSchema,
  confirmed_after: timeSchema.optional(),
});

const scenarioSchema = z
  .strictObject({
    name: z.string().min(1),
    about: z.string().optional(),
    plan: z.enum(['free', 'starter', 'pro', 'business']).default('business'),
    cast: z.record(castName, memberSchema),
    /** Default: all artists in the cast. */
    watch: z.array(castName).min(1).optional(),
    events: z.array(actionSchema),
    /** All expected changes must have happened by this time. */
    until: duration,
    expect: z.array(expectedChangeSchema),
  })
  .refine(
    ({ events, until }) => events.every(({ at = 0 }) => at <= until),
    'An event happens after the end of the scenario.',
  );

export type Scenario = z.output<typeof scenarioSchema>;
export type ExpectedChange = z.output<typeof expectedChangeSchema>;

const directory = new URL('../../scenarios/', import.meta.url);
const EXTENSION = '.yaml';

export function libraryNames(): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort();
}

/** @throws Error that lists every mistake with its position. */
export function libraryScenario(name: string): Scenario {
  const checked = scenarioSchema.safeParse(parse(readFileSync(new URL(`${name}${EXTENSION}`, directory), 'utf8')));
  if (!checked.success) throw new Error(`${name}${EXTENSION}: ${z.prettifyError(checked.error)}`);
  return checked.data;
}
