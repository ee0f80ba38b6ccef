import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** Only adapters read the clock. Functions that make decisions receive the time as an argument. */
export interface Clock {
  now(): Date;
}

export const monotonicMs = (): number => performance.now();

export const systemClock: Clock = { now: () => new Date() };

/** Rejects with the signal's reason when `signal` is aborted. */
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
  restart(): void;
  cancel(): void;
}

/**
 * Extra time for reading data that has already arrived. When a frozen process resumes, its timers fire before its
 * sockets are read.
 */
const GRACE_MS = 50;

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
 * Calls `listener` when `signal` is aborted, or immediately if it already is. Returns a function that removes the
 * listener.
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

/** Resolves with `work`. Rejects when `signal` is aborted, but does not stop the work. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, reject);
    work.then(resolve, reject).finally(removeListener);
  });
}
