import { setMaxListeners } from 'node:events';

/**
 * A signal that is aborted by the caller's own signal, or when the time is up. `AbortSignal.any` with a signal that
 * lives as long as the process keeps every signal made from it; this one leaves nothing behind.
 */
export class RequestDeadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #forgetOuter: () => void;
  #expired = false;

  constructor(outer: AbortSignal, timeoutMs: number) {
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#controller.abort(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    this.#forgetOuter = onAbort(outer, (reason) => this.#controller.abort(reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time was up before anything else. */
  get expired(): boolean {
    return this.#expired;
  }

  /** To be called when the work has ended, however it ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#forgetOuter();
  }
}

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
