import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { actionSchema } from './actions.js';
import { castName, duration, memberSchema, ScenarioFileError } from './cast.js';
import { castProblems } from './cast-check.js';

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

export const scenarioSchema = z
  .strictObject({
    name: z.string().min(1),
    about: z.string().optional(),
    /** Of the account that watches: how often the artists are read. */
    plan: z.enum(['free', 'starter', 'pro', 'business']).default('business'),
    cast: z.record(castName, memberSchema),
    /** The artists that are watched; all of the cast unless given. */
    watch: z.array(castName).min(1).optional(),
    events: z.array(actionSchema).max(1_000),
    /** When everything that follows has followed. */
    until: duration,
    expect: z.array(expectedChangeSchema),
  })
  .superRefine((scenario, context) => {
    for (const { path, message } of castProblems(scenario)) context.addIssue({ code: 'custom', path, message });
    for (const [index, { at = 0 }] of scenario.events.entries()) {
      if (at > scenario.until) {
        context.addIssue({
          code: 'custom',
          path: ['events', index, 'at'],
          message: 'is after the end of the scenario',
        });
      }
    }
    for (const [index, { state, confirmed_after }] of scenario.expect.entries()) {
      if ((state === 'confirmed') === (confirmed_after === undefined)) {
        const message = state === 'confirmed' ? 'is needed for a confirmed change' : 'is for confirmed changes only';
        context.addIssue({ code: 'custom', path: ['expect', index, 'confirmed_after'], message });
      }
    }
  });

export type Scenario = z.output<typeof scenarioSchema>;
export type ExpectedChange = z.output<typeof expectedChangeSchema>;

/** Reads YAML, and so JSON as well. Throws a ScenarioFileError. */
export function readScenario(source: string): Scenario {
  const document = parseDocument(source);
  const [broken] = document.errors;
  if (broken) throw new ScenarioFileError(broken.message);
  const checked = scenarioSchema.safeParse(document.toJS());
  if (!checked.success) throw new ScenarioFileError(z.prettifyError(checked.error));
  return checked.data;
}

const directory = new URL('../../scenarios/', import.meta.url);
const EXTENSION = '.yaml';

/** The names of the scenarios that come with the simulator. */
export function libraryNames(): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort();
}

export function libraryFile(name: string): string {
  return fileURLToPath(new URL(`${name}${EXTENSION}`, directory));
}

export function libraryScenario(name: string): Scenario {
  return readScenario(readFileSync(libraryFile(name), 'utf8'));
}
