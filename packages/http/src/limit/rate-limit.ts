import { FixedWindows, type SharedCounter, type WindowCount } from './fixed-windows.js';

export interface RateLimitOptions {
  readonly shared: SharedCounter;
  readonly windowMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called for each request that was counted in this process only. */
  readonly onFallback: (reason: unknown) => void;
}

/**
 * After a failure the shared counter is left alone for so long, but for the one request that then asks whether it is
 * back: a frozen one would cost each request its timeout. It is longer than that timeout.
 */
const LEAVE_ALONE_MS = 2_000;

/** Names whose count this process knows. */
const MAX_NAMES = 100_000;

/**
 * How many requests an account may still make (docs/reference/api.md), over all its keys and all replicas; or how often
 * a destination may still be sent to by hand. While the shared counter is away each replica counts by itself, from
 * where the shared one was when it was last heard of.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #local: FixedWindows;
  #failedLast = false;
  #leaveAloneUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#local = new FixedWindows({ windowMs: options.windowMs, maxNames: MAX_NAMES });
  }

  async count(name: string, limit: number): Promise<WindowCount> {
    const { shared, monotonicMs, onFallback } = this.#options;
    if (monotonicMs() < this.#leaveAloneUntilMs) {
      onFallback(undefined);
      return this.#local.count(name, limit, monotonicMs());
    }
    // This one asks whether it is back, and may have to wait for that; those that come meanwhile do not.
    if (this.#failedLast) this.#leaveAlone();
    try {
      const count = await shared.count(name, limit);
      this.#failedLast = false;
      this.#leaveAloneUntilMs = Number.NEGATIVE_INFINITY;
      this.#local.remember(name, limit - count.remaining, count.resetsInMs, monotonicMs());
      return count;
    } catch (error) {
      this.#failedLast = true;
      this.#leaveAlone();
      onFallback(error);
      return this.#local.count(name, limit, monotonicMs());
    }
  }

  #leaveAlone(): void {
    this.#leaveAloneUntilMs = this.#options.monotonicMs() + LEAVE_ALONE_MS;
  }
}
