import { Gates } from '@artist-watch/runtime/gate';
import type { RequestContext } from '../request-context.js';

/** A burst of one caller waits this long for its own earlier requests, then it is 503. */
const MAX_WAIT_MS = 3_000;

/**
 * Limits how many requests of one caller are in progress in this process, from admission until the response was taken.
 * A caller is an account, a browser, or the network of a guest: whoever sends more only waits for its own requests.
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
