import { setTimeout as timer } from 'node:timers/promises';

/** Waits `delayMs`. Rejects with the signal's reason as soon as `signal` is aborted (at once if it already is). */
export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    await timer(delayMs, undefined, signal ? { signal } : undefined);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
