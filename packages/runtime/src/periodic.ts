import { onAbort } from './clock.js';

export interface PeriodicWork {
  /** Milliseconds from the end of one run to the start of the next. */
  readonly intervalMs: number;
  /** Default: 0. */
  readonly firstAfterMs?: number;
  run(signal: AbortSignal): Promise<unknown>;
  readonly signal: AbortSignal;
  onError(error: unknown): void;
}

export interface Periodic {
  /** Ends the current pause, unless the last run failed. */
  nudge(): void;
  /** Never rejects. */
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

/** `AbortSignal.any` is not used here, because its signals would accumulate on the long-lived signal. */
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

  forgetCut(): void {
    this.#cutAhead = false;
  }
}
