import { z } from 'zod';
import { type ControlTarget, prepareCommand } from '../control/commands.js';
import type { StagedStep } from './staged-scenario.js';

/** Timed control commands, for what the language of scenarios has no word for. */
const controlStepsSchema = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        /** Milliseconds from the moment in which they are given. */
        afterMs: z.number().int().min(0).max(86_400_000),
        method: z.enum(['POST', 'PATCH', 'PUT']).default('POST'),
        path: z.string(),
        body: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
});

/** Checks every command before any of them is taken up. Throws as `prepareCommand`. */
export function stageControlSteps(body: unknown, target: ControlTarget): StagedStep[] {
  return controlStepsSchema.parse(body).steps.map(({ afterMs, method, path, body: commandBody }) => {
    const run = prepareCommand(method, path, commandBody);
    return { afterMs, what: `${method} ${path}`, run: () => void run(target) };
  });
}
