import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` with the signal's reason when it is aborted, at once if it already is.
 *
 * @returns what takes the listener back. One signal is shared by every reading of a process, and Node takes more than
 * ten listeners for a leak: each user takes its own back, so there are never more than there is work under way.
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
