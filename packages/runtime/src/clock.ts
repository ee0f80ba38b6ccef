import { setTimeout as pause } from 'node:timers/promises';

/** The current time, for adapters only. Decisions take an instant as an argument. */
export interface Clock {
  now(): Date;
}

/** A clock that never jumps, for durations. Milliseconds since an arbitrary start. */
export interface Monotonic {
  nowMs(): number;
}

export const systemClock: Clock = { now: () => new Date() };

/** Waits `delayMs`. Rejects with the signal's reason on abort, immediately if it is already aborted. */
export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    await pause(delayMs, undefined, signal ? { signal } : undefined);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Resolves with `work`, or with `late()` after `ms` milliseconds. The work itself is not stopped. */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Result): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Deadline {
  /** Starts the full time again. */
  restart(): void;
  cancel(): void;
}

/**
 * Time to read data that had already arrived. After a process was frozen, its timers fire before its sockets are read.
 */
const GRACE_MS = 50;

/** Calls `onPassed` after `ms` milliseconds and a grace of 50 ms, unless the deadline is cancelled. */
export function startDeadline(ms: number, onPassed: () => void): Deadline {
  let grace: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    grace = setTimeout(onPassed, GRACE_MS);
  }, ms);
  return {
    restart() {
      clearTimeout(grace);
      timer.refresh();
    },
    cancel() {
      clearTimeout(grace);
      clearTimeout(timer);
    },
  };
}
