import { onAbort } from '@artist-watch/runtime/abort';
import { quotaSpent } from '../platform-error.js';
import type { BudgetRules, RequestBudget } from './request-budget.js';

/** Immutable; instants are milliseconds of any clock that never runs back. */
export interface TokenBucket {
  readonly tokens: number;
  readonly filledAtMs: number;
}

export function fullBucket(rules: BudgetRules, nowMs: number): TokenBucket {
  return { tokens: rules.burst, filledAtMs: nowMs };
}

/**
 * Takes tokens. A bucket of `burst` that fills with (limit - burst) in each window grants at most `limit` in any span
 * of that length: what was saved up before it, and what comes in during it.
 *
 * @returns the bucket that is left, or how long to wait until there would be enough.
 */
export function takeTokens(
  rules: BudgetRules,
  bucket: TokenBucket,
  tokens: number,
  nowMs: number,
): { readonly granted: TokenBucket } | { readonly waitMs: number } {
  const perMs = fillRate(rules);
  // During a penalty the bucket is filled as of its end, which lies ahead.
  const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const available = Math.min(rules.burst, bucket.tokens + passedMs * perMs);
  if (nowMs >= bucket.filledAtMs && available >= tokens) {
    return { granted: { tokens: available - tokens, filledAtMs: nowMs } };
  }
  const untilFilling = Math.max(0, bucket.filledAtMs - nowMs);
  return { waitMs: untilFilling + Math.max(0, Math.ceil((tokens - available) / perMs)) };
}

/** Empty until the penalty ends, so that no burst follows it; it fills from then on. */
export function penalisedBucket(bucket: TokenBucket, retryAfterMs: number, nowMs: number): TokenBucket {
  const untilMs = nowMs + retryAfterMs;
  return untilMs > bucket.filledAtMs ? { tokens: 0, filledAtMs: untilMs } : { ...bucket, tokens: 0 };
}

function fillRate({ limit, burst, windowMs }: BudgetRules): number {
  if (burst < 1 || burst >= limit) throw new RangeError(`A burst of ${burst} does not fit into a limit of ${limit}.`);
  return (limit - burst) / windowMs;
}

export interface InProcessBudgetOptions extends BudgetRules {
  /** A caller that would have to wait longer than this is refused at once; without it, it waits. */
  readonly maxWaitMs?: number;
  /** Milliseconds of a clock that never runs back. */
  readonly nowMs?: () => number;
}

interface WaitingCaller {
  readonly requests: number;
  grant(): void;
}

/** The budget of a single process. Callers are served in the order in which they came. */
export class InProcessBudget implements RequestBudget {
  readonly #options: InProcessBudgetOptions;
  readonly #nowMs: () => number;
  readonly #waiting = new Set<WaitingCaller>();
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
      const waiting: WaitingCaller = {
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
