import { LRUCache } from 'lru-cache';

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

interface OpenWindow {
  used: number;
  readonly endsAtMs: number;
}

/** Counts in this process, in windows that begin with the first request; refused requests do not count. */
export class FixedWindows {
  readonly #windowMs: number;
  readonly #open: LRUCache<string, OpenWindow>;

  /** @param maxNames so many counts are kept; the one that was not used for the longest time is forgotten first. */
  constructor({ windowMs, maxNames }: { readonly windowMs: number; readonly maxNames: number }) {
    this.#windowMs = windowMs;
    // By size, though each counts for one: `max` would take the memory of all names at the start, up to 3 MB.
    this.#open = new LRUCache({ maxSize: maxNames, sizeCalculation: () => 1 });
  }

  count(name: string, limit: number, nowMs: number): WindowCount {
    let window = this.#open.get(name);
    if (!window || window.endsAtMs <= nowMs) {
      window = { used: 0, endsAtMs: nowMs + this.#windowMs };
      this.#open.set(name, window);
    }
    const admitted = window.used < limit;
    if (admitted) window.used += 1;
    return { admitted, remaining: Math.max(0, limit - window.used), resetsInMs: window.endsAtMs - nowMs };
  }

  /** Takes over what was counted elsewhere, so that counting can go on from there. */
  remember(name: string, used: number, resetsInMs: number, nowMs: number): void {
    this.#open.set(name, { used, endsAtMs: nowMs + resetsInMs });
  }
}

/** One request counted in a window that began with the first one. */
export interface WindowCount {
  /** False when the limit was reached before; such a request is not counted. */
  readonly admitted: boolean;
  /** How many more this window admits. */
  readonly remaining: number;
  /** Until the window is over. */
  readonly resetsInMs: number;
}

/** Counts in one place for all replicas. Rejects when that place is away. */
export interface SharedCounter {
  /** @param name what is counted: an account, or a destination. */
  count(name: string, limit: number): Promise<WindowCount>;
}

/** Whole seconds after which the window is over for certain: it still holds within its last millisecond. */
export function secondsToWait(resetsInMs: number): number {
  return Math.ceil((resetsInMs + 1) / 1000);
}
