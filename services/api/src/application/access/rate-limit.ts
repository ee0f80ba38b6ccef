import type { AccountId } from '@artist-watch/domain/ids';
import { FixedWindows } from './fixed-windows.js';
import type { SharedCounter, WindowCount } from './ports.js';

export interface RateLimitOptions {
  readonly shared: SharedCounter;
  readonly windowMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Told of each request that was counted in this process only. */
  readonly onFallback: (reason: unknown) => void;
}

/** After a failure the shared counter is left alone for so long: a frozen one would cost each request its timeout. */
const LEAVE_ALONE_MS = 2_000;

/** Accounts whose count this process knows. */
const MAX_ACCOUNTS = 100_000;

/**
 * How many requests an account may still make (SPEC section 8), over all its keys and all replicas. While the shared
 * counter is away each replica counts by itself, from where the shared one was when it was last heard of.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #local: FixedWindows;
  #leaveAloneUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#local = new FixedWindows({ windowMs: options.windowMs, maxNames: MAX_ACCOUNTS });
  }

  async count(accountId: AccountId, limit: number): Promise<WindowCount> {
    const { shared, monotonicMs, onFallback } = this.#options;
    if (monotonicMs() >= this.#leaveAloneUntilMs) {
      try {
        const count = await shared.count(accountId, limit);
        this.#local.remember(accountId, limit - count.remaining, count.resetsInMs, monotonicMs());
        return count;
      } catch (error) {
        this.#leaveAloneUntilMs = monotonicMs() + LEAVE_ALONE_MS;
        onFallback(error);
      }
    } else {
      onFallback(undefined);
    }
    return this.#local.count(accountId, limit, monotonicMs());
  }
}
