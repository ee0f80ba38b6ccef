import { LRUCache } from 'lru-cache';

export interface RateLimitOptions {
  readonly shared: SharedCounter;
  readonly windowMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called for each request that was counted only in this process. */
  readonly onFallback: (reason: unknown) => void;
}

/**
 * Pause after a failure, in which the shared counter is not used. After the pause, one request tries the counter again.
 * Without it, every request would wait until the timeout of an unresponsive counter. The pause is longer than that
 * timeout.
 */
const PAUSE_MS = 2_000;

/** Maximum number of counters in this process. */
const MAX_NAMES = 100_000;

/**
 * Limits the requests of an account across all its keys and all replicas (docs/reference/api.md), or the manual
 * requests to a destination. While the shared counter is unavailable, each replica continues counting from the last
 * shared count.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #local: FixedWindows;
  #failedLast = false;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#local = new FixedWindows({ windowMs: options.windowMs, maxNames: MAX_NAMES });
  }

  async count(name: string, limit: number): Promise<WindowCount> {
    const { shared, monotonicMs, onFallback } = this.#options;
    if (monotonicMs() < this.#pausedUntilMs) {
      onFallback(undefined);
      return this.#local.count(name, limit, monotonicMs());
    }
    // This request tries the shared counter, and may have to wait until the counter's timeout. The next pause starts
    // now, so that no other request waits too.
    if (this.#failedLast) this.#pause();
    try {
      const count = await shared.count(name, limit);
      this.#failedLast = false;
      this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
      this.#local.remember(name, limit - count.remaining, count.resetsInMs, monotonicMs());
      return count;
    } catch (error) {
      this.#failedLast = true;
      this.#pause();
      onFallback(error);
      return this.#local.count(name, limit, monotonicMs());
    }
  }

  #pause(): void {
    this.#pausedUntilMs = this.#options.monotonicMs() + PAUSE_MS;
  }
}

interface OpenWindow {
  used: number;
  readonly endsAtMs: number;
}

/** Counts requests in this process. A window starts with its first request. Rejected requests do not count. */
export class FixedWindows {
  readonly #windowMs: number;
  readonly #open: LRUCache<string, OpenWindow>;

  /** @param maxNames the maximum number of counters. The least recently used counter is dropped first. */
  constructor({ windowMs, maxNames }: { readonly windowMs: number; readonly maxNames: number }) {
    this.#windowMs = windowMs;
    // `max` would allocate the memory for all names (up to 3 MB) at startup, so `maxSize` is used with a size of 1 per
    // entry.
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

  /** Stores a count from the shared counter. Later requests are added to it. */
  remember(name: string, used: number, resetsInMs: number, nowMs: number): void {
    this.#open.set(name, { used, endsAtMs: nowMs + resetsInMs });
  }
}

/** The result of counting one request. */
export interface WindowCount {
  /** False if the limit was already reached. A rejected request is not counted. */
  readonly admitted: boolean;
  /** The number of requests left in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetsInMs: number;
}

/** A counter shared by all replicas. `count` rejects if the counter is unavailable. */
export interface SharedCounter {
  /** @param name identifies the account or destination. */
  count(name: string, limit: number): Promise<WindowCount>;
}

/** Returns the seconds until the window ends, rounded up so that it has certainly ended by then. */
export function secondsToWait(resetsInMs: number): number {
  return Math.ceil((resetsInMs + 1) / 1000);
}
