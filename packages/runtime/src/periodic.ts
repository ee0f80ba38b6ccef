import { onAbort } from './clock.js';

export interface PeriodicWork {
  /** Pause between the end of one run and the start of the next, in milliseconds. */
  readonly intervalMs: number;
  /** Pause before the first run, in milliseconds. Default: 0. */
  readonly firstAfterMs?: number;
  /** Runs the work once. It receives `signal`, so that a long run can stop early. */
  run(signal: AbortSignal): Promise<unknown>;
  /** Ends the loop when it is aborted. `done` still waits for the current run. */
  readonly signal: AbortSignal;
  /** Called with the error of a failed run. The loop continues after the interval. */
  onError(error: unknown): void;
}

export interface Periodic {
  /**
   * Ends the current pause. If it is called during a run, the next run starts without a pause. It has no effect during
   * a failed run or in the pause after it, so that failing work is not repeated faster.
   */
  nudge(): void;
  /** Resolves after the abort, when the last run has ended. Never rejects. */
  readonly done: Promise<void>;
}

/** Repeats `run` until `signal` is aborted, one run at a time. */
export function every(work: PeriodicWork): Periodic {
  const pause = new CuttablePause();
  let hasFailed = false;
  const removeListener = onAbort(work.signal, () => pause.cut());

  async function loop(): Promise<void> {
    let pauseMs = work.firstAfterMs ?? 0;
    while (!work.signal.aborted) {
      await pause.wait(pauseMs);
      if (work.signal.aborted) return;
      hasFailed = false;
      try {
        await work.run(work.signal);
      } catch (error) {
        // After an abort, an error is expected.
        if (!work.signal.aborted) work.onError(error);
        hasFailed = true;
        pause.forgetCut();
      }
      pauseMs = work.intervalMs;
    }
  }

  return {
    nudge() {
      if (!hasFailed) pause.cut();
    },
    done: loop().finally(removeListener),
  };
}

/**
 * A pause that `cut` can end early. A cut between two pauses skips the next pause. `AbortSignal.any` is not used,
 * because its signals would accumulate on the long-lived signal.
 */
class CuttablePause {
  #end: (() => void) | undefined;
  #cutAhead = false;

  async wait(pauseMs: number): Promise<void> {
    if (pauseMs > 0 && !this.#cutAhead) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#end = undefined;
    this.#cutAhead = false;
  }

  cut(): void {
    if (this.#end) this.#end();
    else this.#cutAhead = true;
  }

  /** Undoes a cut that was made between two pauses. */
  forgetCut(): void {
    this.#cutAhead = false;
  }
}
