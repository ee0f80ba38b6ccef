import type { StagedStep } from './staged-scenario.js';

export interface StepProgress {
  readonly afterMs: number;
  readonly what: string;
  state: 'waiting' | 'done' | 'failed' | 'cancelled';
  problem?: string;
}

/** Takes timed steps by the wall clock. Several scenarios may run at once. */
export class ScenarioRunner {
  readonly #timers = new Map<NodeJS.Timeout, StepProgress>();
  readonly #steps: StepProgress[] = [];

  /** @param speed how many times as fast as they say. */
  start(steps: readonly StagedStep[], speed = 1): void {
    for (const { afterMs, what, run } of steps) {
      const progress: StepProgress = { afterMs: Math.round(afterMs / speed), what, state: 'waiting' };
      this.#steps.push(progress);
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        take(progress, run);
      }, progress.afterMs);
      this.#timers.set(timer, progress);
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
}

function take(step: StepProgress, run: () => void): void {
  try {
    run();
    step.state = 'done';
  } catch (error) {
    step.state = 'failed';
    step.problem = error instanceof Error ? error.message : String(error);
  }
}
