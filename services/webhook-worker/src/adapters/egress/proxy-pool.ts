import type { EgressRoute } from './egress-route.js';

interface Faults {
  inARow: number;
  /** Left out until then, on the monotonic clock. */
  outUntilMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Uses several proxies in turn and leaves out the one that fails, for a pause that doubles with each fault in a row.
 * When all are out, the one whose pause ends first is tried: with nothing to lose, asking is how it is found well.
 */
export class ProxyPool {
  readonly #routes: readonly EgressRoute[];
  readonly #faults = new Map<EgressRoute, Faults>();
  #turn = 0;

  constructor(routes: readonly EgressRoute[]) {
    this.#routes = routes;
    for (const route of routes) this.#faults.set(route, { inARow: 0, outUntilMs: 0 });
  }

  /** The next proxy whose turn it is, none of `tried`; undefined when all were tried. */
  next(nowMs: number, tried: ReadonlySet<EgressRoute>): EgressRoute | undefined {
    let leastOut: EgressRoute | undefined;
    let leastOutUntilMs = Number.POSITIVE_INFINITY;
    for (let step = 0; step < this.#routes.length; step += 1) {
      const route = this.#routes[(this.#turn + step) % this.#routes.length] as EgressRoute;
      if (tried.has(route)) continue;
      const { outUntilMs } = this.#faultsOf(route);
      if (!route.health.areAllUnhealthy && outUntilMs <= nowMs) {
        this.#turn = (this.#turn + step + 1) % this.#routes.length;
        return route;
      }
      if (outUntilMs < leastOutUntilMs) [leastOut, leastOutUntilMs] = [route, outUntilMs];
    }
    return leastOut;
  }

  reportWell(route: EgressRoute): void {
    const faults = this.#faultsOf(route);
    faults.inARow = 0;
    faults.outUntilMs = 0;
  }

  reportFault(route: EgressRoute, nowMs: number): void {
    const faults = this.#faultsOf(route);
    // Requests that were on their way together fail together; that is one fault.
    if (nowMs < faults.outUntilMs) return;
    faults.inARow += 1;
    faults.outUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (faults.inARow - 1), LONGEST_PAUSE_MS);
  }

  #faultsOf(route: EgressRoute): Faults {
    return this.#faults.get(route) as Faults;
  }
}
