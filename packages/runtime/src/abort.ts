import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` with the signal's reason when it is aborted, at once if it already is.
 *
 * @returns what takes the listener back. One signal is shared by all the work of a process, and Node takes more than ten
 * listeners for a leak: each user takes its own back, so there are never more than there is work under way.
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

/** What `work` comes to. Rejects with the signal's reason as soon as it is aborted; nobody waits for the rest then. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, reject);
    work.then(resolve, reject).finally(forget);
  });
}
