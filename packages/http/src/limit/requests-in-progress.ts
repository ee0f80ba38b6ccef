import { Gates } from '@artist-watch/runtime/gate';
import type { RequestContext } from '../request-context.js';

/** A request that waits longer gets a 503. */
const MAX_WAIT_MS = 3_000;

/**
 * Limits how many requests each caller can have in progress in this process. A request counts until the client has
 * received the response.
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
