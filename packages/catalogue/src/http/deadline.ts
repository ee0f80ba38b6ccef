import { onAbort } from '@artist-watch/runtime/abort';

/**
 * A signal that is aborted by the caller's own signal, or when the time is up. `AbortSignal.any` with a signal that
 * lives as long as the process keeps every signal made from it; this one leaves nothing behind. got's own timeout does not
 * end a request without a socket, which waits for a free connection or for the proxy's answer to CONNECT.
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
