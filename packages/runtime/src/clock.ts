import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** The current time, for adapters only. Functions that make decisions receive the time as an argument. */
export interface Clock {
  now(): Date;
}

/** Returns the milliseconds since an arbitrary start, from a clock that never jumps. */
export const monotonicMs = (): number => performance.now();

/** A clock for measuring durations. It counts milliseconds from an arbitrary start and never jumps. */
export interface Monotonic {
  nowMs(): number;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * Waits for `delayMs` milliseconds. Rejects with the signal's reason when it is aborted, or at once if it already is.
 */
export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    await pause(delayMs, undefined, signal ? { signal } : undefined);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Resolves with `work`, or with `late()` after `ms` milliseconds. Does not stop the work. */
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
  /** Restarts the deadline with its full time. */
  restart(): void;
  cancel(): void;
}

/**
 * Additional time to read data that has already arrived. After a process was frozen, its timers fire before its sockets
 * are read.
 */
const GRACE_MS = 50;

/** Calls `onPassed` after `ms` milliseconds plus 50 ms, unless the deadline is cancelled before. */
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

/**
 * Calls `listener` with the signal's reason when the signal is aborted, or immediately if it is already aborted. Raises
 * the signal's listener limit, because all work of a process shares one signal and Node reports more than ten listeners
 * as a leak.
 *
 * @returns a function that removes the listener. Call it when the work ends.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  const call = () => listener(signal.reason);
  if (signal.aborted) {
    call();
    return () => undefined;
  }
  setMaxListeners(0, signal);
  signal.addEventListener('abort', call, { once: true });
  return () => signal.removeEventListener('abort', call);
}

/** Resolves with `work`. Rejects with the signal's reason if it is aborted, but does not stop the work. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, reject);
    work.then(resolve, reject).finally(removeListener);
  });
}
