import type { EgressRoute } from './egress-route.js';

interface Faults {
  consecutive: number;
  /** The end of the pause, on the monotonic clock. */
  pausedUntilMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Rotates through several proxies. A proxy is paused after a fault, and the pause doubles with each consecutive fault.
 * If all proxies are paused or unhealthy, the one whose pause ends first is tried, because only a successful request
 * shows that a proxy works again.
 */
export class ProxyPool {
  readonly #routes: readonly EgressRoute[];
  readonly #faults = new Map<EgressRoute, Faults>();
  #cursor = 0;

  constructor(routes: readonly EgressRoute[]) {
    this.#routes = routes;
    for (const route of routes) this.#faults.set(route, { consecutive: 0, pausedUntilMs: 0 });
  }

  /** Returns the next proxy that is not in `tried`, or undefined if all were tried. */
  next(nowMs: number, tried: ReadonlySet<EgressRoute>): EgressRoute | undefined {
    let fallback: EgressRoute | undefined;
    let earliestPauseEndMs = Number.POSITIVE_INFINITY;
    for (let step = 0; step < this.#routes.length; step += 1) {
      const route = this.#routes[(this.#cursor + step) % this.#routes.length] as EgressRoute;
      if (tried.has(route)) continue;
      const { pausedUntilMs } = this.#getFaults(route);
      if (!route.health.areAllUnhealthy && pausedUntilMs <= nowMs) {
        this.#cursor = (this.#cursor + step + 1) % this.#routes.length;
        return route;
      }
      if (pausedUntilMs < earliestPauseEndMs) [fallback, earliestPauseEndMs] = [route, pausedUntilMs];
    }
    return fallback;
  }

  reportSuccess(route: EgressRoute): void {
    const faults = this.#getFaults(route);
    faults.consecutive = 0;
    faults.pausedUntilMs = 0;
  }

  reportFault(route: EgressRoute, nowMs: number): void {
    const faults = this.#getFaults(route);
    // Requests that were in flight together also fail together, so they count as one fault.
    if (nowMs < faults.pausedUntilMs) return;
    faults.consecutive += 1;
    faults.pausedUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (faults.consecutive - 1), LONGEST_PAUSE_MS);
  }

  #getFaults(route: EgressRoute): Faults {
    return this.#faults.get(route) as Faults;
  }
}
