import { Gates } from '@artist-watch/runtime/gate';
import type { RequestContext } from '../request-context.js';

/** Maximum time that a request waits for earlier requests of the same caller. After that, the response is 503. */
const MAX_WAIT_MS = 3_000;

/**
 * Limits how many requests of a caller this process handles at the same time. A caller is an account, a browser, or the
 * network of a guest. A request counts until the client has received the response. A caller with many requests delays
 * only its own requests.
 */
export class RequestsInProgress {
  readonly #gates: Gates;

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#gates = new Gates({ maxRunning: atOnce, maxWaiting, maxWaitMs: MAX_WAIT_MS });
  }

  /** Resolves when the request may start. @throws GateFull */
  enter(caller: string, context: RequestContext): Promise<void> {
    const ended = context.ended();
    return new Promise((resolve, reject) => {
      const work = () => {
        resolve();
        return ended;
      };
      this.#gates.run(caller, work).catch(reject);
    });
  }
}
