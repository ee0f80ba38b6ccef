import { Gates } from '@artist-watch/runtime/gate';
import type { RequestContext } from '../request-context.js';

/** Longest wait of a request for earlier requests of the same caller. After that the response is 503. */
const MAX_WAIT_MS = 3_000;

/**
 * Limits the concurrent requests per caller in this process, from admission until the client has received the
 * response. A caller is an account, a browser, or a guest's network. A caller with many requests delays only its own
 * requests.
 */
export class RequestsInProgress {
  readonly #gates: Gates;

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#gates = new Gates({ maxRunning: atOnce, maxWaiting, maxWaitMs: MAX_WAIT_MS });
  }

  /** Resolves when the request may begin. @throws GateFull */
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
