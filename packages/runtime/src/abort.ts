import { setMaxListeners } from 'node:events';

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
