import { onAbort } from '../abort-listener.js';
import { quotaSpent } from '../platform-error.js';
import type { BudgetRules, RequestBudget } from './request-budget.js';
import { fullBucket, penalisedBucket, type TokenBucket, takeTokens } from './token-bucket.js';

export interface InProcessBudgetOptions extends BudgetRules {
  /** A caller that would have to wait longer than this is refused at once; without it, it waits. */
  readonly maxWaitMs?: number;
  /** Milliseconds of a clock that never runs back. */
  readonly nowMs?: () => number;
}

interface Waiting {
  readonly requests: number;
  grant(): void;
}

/** The budget of a single process. Callers are served in the order in which they came. */
export class InProcessBudget implements RequestBudget {
  readonly #options: InProcessBudgetOptions;
  readonly #nowMs: () => number;
  readonly #waiting = new Set<Waiting>();
  #bucket: TokenBucket;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: InProcessBudgetOptions) {
    if (options.burst >= options.limit) throw new RangeError('The burst must be smaller than the limit.');
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#bucket = fullBucket(options, this.#nowMs());
  }

  async take(requests: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (requests > this.#options.burst)
      throw new RangeError(`No more than ${this.#options.burst} can be taken at once.`);
    if (this.#waiting.size === 0 && this.#tryTake(requests) === 0) return;
    this.#refuseLongWait(requests);
    await this.#wait(requests, signal);
  }

  async penalise(retryAfterMs: number): Promise<void> {
    this.#bucket = penalisedBucket(this.#bucket, retryAfterMs, this.#nowMs());
    this.#schedule();
  }

  #tryTake(requests: number): number {
    const outcome = takeTokens(this.#options, this.#bucket, requests, this.#nowMs());
    if ('waitMs' in outcome) return outcome.waitMs;
    this.#bucket = outcome.granted;
    return 0;
  }

  #refuseLongWait(requests: number): void {
    const { maxWaitMs } = this.#options;
    if (maxWaitMs === undefined) return;
    let before = requests;
    for (const waiting of this.#waiting) before += waiting.requests;
    const outcome = takeTokens(this.#options, this.#bucket, before, this.#nowMs());
    if ('waitMs' in outcome && outcome.waitMs > maxWaitMs) {
      throw quotaSpent(`the request budget is spent for ${outcome.waitMs} ms`, outcome.waitMs);
    }
  }

  #wait(requests: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        requests,
        grant: () => {
          forgetSignal();
          resolve();
        },
      };
      this.#waiting.add(waiting);
      const forgetSignal = onAbort(signal, (reason) => {
        this.#waiting.delete(waiting);
        this.#schedule();
        reject(reason);
      });
      this.#schedule();
    });
  }

  /** Serves who can be served, and wakes up when the next one can. */
  #schedule(): void {
    clearTimeout(this.#timer);
    for (const waiting of this.#waiting) {
      const waitMs = this.#tryTake(waiting.requests);
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#schedule(), waitMs);
        return;
      }
      this.#waiting.delete(waiting);
      waiting.grant();
    }
  }
}
