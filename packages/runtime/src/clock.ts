import { setTimeout as pause } from 'node:timers/promises';

/** Where a decision needs the time it takes an instant; only the edges hold a Clock. */
export interface Clock {
  now(): Date;
}

/** A clock that never steps, in milliseconds from an arbitrary start: for durations. */
export interface Monotonic {
  nowMs(): number;
}

export const systemClock: Clock = { now: () => new Date() };

/** Waits `delayMs`. Rejects with the signal's reason as soon as `signal` is aborted (at once if it already is). */
export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    await pause(delayMs, undefined, signal ? { signal } : undefined);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** What `work` comes to, or what `late` makes once `ms` have passed. Nobody waits for the rest of the work then. */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Result): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, passed.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Deadline {
  /** Counts from now on anew. */
  restart(): void;
  cancel(): void;
}

/** What is in the sockets' buffers is looked at first: a process that was frozen wakes with its timers overdue. */
const SECOND_LOOK_MS = 50;

/** Calls `onPassed` when `ms` have passed, and nothing that had arrived by then cancelled it. */
export function startDeadline(ms: number, onPassed: () => void): Deadline {
  let secondLook: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    secondLook = setTimeout(onPassed, SECOND_LOOK_MS);
  }, ms);
  return {
    restart() {
      clearTimeout(secondLook);
      timer.refresh();
    },
    cancel() {
      clearTimeout(secondLook);
      clearTimeout(timer);
    },
  };
}
