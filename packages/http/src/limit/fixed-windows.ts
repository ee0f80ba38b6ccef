import { LRUCache } from 'lru-cache';

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
