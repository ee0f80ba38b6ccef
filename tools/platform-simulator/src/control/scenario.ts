import { z } from 'zod';
import { type ControlTarget, prepareCommand } from './commands.js';

export const scenarioSchema = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        /** Milliseconds from the moment in which the scenario is given. */
        afterMs: z.number().int().min(0).max(86_400_000),
        method: z.enum(['POST', 'PATCH', 'PUT']).default('POST'),
        path: z.string(),
        body: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
});

export type Scenario = z.output<typeof scenarioSchema>;

export interface StepProgress {
  readonly afterMs: number;
  readonly method: string;
  readonly path: string;
  state: 'waiting' | 'done' | 'failed' | 'cancelled';
  problem?: string;
}

/** Timed control commands. Several scenarios may run at once. */
export class ScenarioRunner {
  readonly #target: ControlTarget;
  readonly #timers = new Map<NodeJS.Timeout, StepProgress>();
  readonly #steps: StepProgress[] = [];

  constructor(target: ControlTarget) {
    this.#target = target;
  }

  /** Checks every step before any of them is taken up. Throws as `prepareCommand`. */
  start(scenario: Scenario): void {
    const prepared = scenario.steps.map((step) => ({
      step: { afterMs: step.afterMs, method: step.method, path: step.path, state: 'waiting' } as StepProgress,
      run: prepareCommand(step.method, step.path, step.body),
    }));
    for (const { step, run } of prepared) {
      this.#steps.push(step);
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#take(step, run);
      }, step.afterMs);
      this.#timers.set(timer, step);
    }
  }

  /** Takes no further step. */
  cancel(): void {
    for (const [timer, step] of this.#timers) {
      clearTimeout(timer);
      step.state = 'cancelled';
    }
    this.#timers.clear();
  }

  progress(): readonly StepProgress[] {
    return this.#steps;
  }

  #take(step: StepProgress, run: (target: ControlTarget) => unknown): void {
    try {
      run(this.#target);
      step.state = 'done';
    } catch (error) {
      step.state = 'failed';
      step.problem = error instanceof Error ? error.message : String(error);
    }
  }
}
