import { onAbort } from './abort.js';

export interface PeriodicWork {
  /** Pause between the end of one run and the start of the next, in milliseconds. */
  readonly intervalMs: number;
  /** Pause before the first run; 0 (at once) unless given. */
  readonly firstAfterMs?: number;
  /** One run. The signal is the one below, so that a long run can stop in the middle. */
  run(signal: AbortSignal): Promise<unknown>;
  /** Ends the loop; a run that has begun is waited for by `done`. */
  readonly signal: AbortSignal;
  /** What a run threw. The loop goes on after the interval: one bad run must not end the work for good. */
  onError(error: unknown): void;
}

export interface Periodic {
  /**
   * Skips what is left of the pause. During a run: another run follows it without a pause. After a run that threw, the
   * pause is kept: what is in trouble is asked again at its interval, however many nudge.
   */
  nudge(): void;
  /** Resolves when the signal was aborted and the last run has ended; never rejects. */
  readonly done: Promise<void>;
}

/** Runs `run` again and again, never twice at once, until `signal` is aborted. */
export function every(work: PeriodicWork): Periodic {
  const pause = new CuttablePause();
  let isInTrouble = false;
  const forgetSignal = onAbort(work.signal, () => pause.cut());

  async function loop(): Promise<void> {
    let pauseMs = work.firstAfterMs ?? 0;
    while (!work.signal.aborted) {
      await pause.wait(pauseMs);
      if (work.signal.aborted) return;
      isInTrouble = false;
      try {
        await work.run(work.signal);
      } catch (error) {
        // What a run throws because it was told to stop is not a failure.
        if (!work.signal.aborted) work.onError(error);
        isInTrouble = true;
        pause.forgetCut();
      }
      pauseMs = work.intervalMs;
    }
  }

  return {
    nudge() {
      if (!isInTrouble) pause.cut();
    },
    done: loop().finally(forgetSignal),
  };
}

/** A pause that `cut` ends; a cut between two pauses ends the next one. (AbortSignal.any would pile up on the signal.) */
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

  /** The next pause is as long as it is told to be. */
  forgetCut(): void {
    this.#cutAhead = false;
  }
}
