import { Gates } from '@artist-watch/runtime/gate';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../request-context.js';

export interface RateLimitOptions {
  readonly shared: SharedCounter;
  readonly windowMs: number;
  readonly monotonicMs: () => number;
  readonly onFallback: (reason: unknown) => void;
}

/**
 * How long to pause after a failure. The pause is longer than the shared counter's timeout, so that few requests have
 * to wait for a timeout.
 */
const PAUSE_MS = 2_000;

const MAX_NAMES = 100_000;

/**
 * Limits requests across all replicas (docs/api/requests.md). While the shared counter is unavailable, each replica
 * continues from the last shared count.
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
    // Only one request tries the shared counter, so that the others don't have to wait for its timeout.
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

/** Counts requests in this process. A window starts with its first request. */
export class FixedWindows {
  readonly #windowMs: number;
  readonly #open: LRUCache<string, OpenWindow>;

  /** @param maxNames maximum number of counters. Beyond that, the least recently used one is dropped. */
  constructor({ windowMs, maxNames }: { readonly windowMs: number; readonly maxNames: number }) {
    this.#windowMs = windowMs;
    // Unlike `maxSize`, `max` would allocate memory for all names (up to 3 MB) at startup.
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

  remember(name: string, used: number, resetsInMs: number, nowMs: number): void {
    this.#open.set(name, { used, endsAtMs: nowMs + resetsInMs });
  }
}

export interface WindowCount {
  /** False if the limit had already been reached. Rejected requests are not counted. */
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetsInMs: number;
}

/** A counter shared by all replicas. `count` rejects if it is unavailable. */
export interface SharedCounter {
  count(name: string, limit: number): Promise<WindowCount>;
}

export function secondsToWait(resetsInMs: number): number {
  return Math.ceil((resetsInMs + 1) / 1000);
}

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
