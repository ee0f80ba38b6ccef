/** An egress proxy, with what is known of its health. */
export interface PooledProxy {
  /** Its address without credentials, for logs and metrics. */
  readonly name: string;
  /** It left its last check unanswered, or asked to be left out; it is left out until it is well. */
  readonly isUnhealthy: boolean;
}

interface Health {
  faults: number;
  /** Left out until then, on the monotonic clock. */
  outUntilMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Uses several proxies in turn and leaves out the one that fails, for a pause that doubles with each fault in a row.
 * When all are out, the one whose pause ends first is tried: with nothing to lose, asking is how it is found well.
 */
export class ProxyPool<Proxy extends PooledProxy> {
  readonly #proxies: readonly Proxy[];
  readonly #health = new Map<Proxy, Health>();
  #turn = 0;

  constructor(proxies: readonly Proxy[]) {
    this.#proxies = proxies;
    for (const proxy of proxies) this.#health.set(proxy, { faults: 0, outUntilMs: 0 });
  }

  get size(): number {
    return this.#proxies.length;
  }

  /** The next proxy whose turn it is, none of `tried`; undefined when all were tried. */
  next(nowMs: number, tried: ReadonlySet<Proxy>): Proxy | undefined {
    let leastOut: Proxy | undefined;
    for (let step = 0; step < this.#proxies.length; step += 1) {
      const proxy = this.#proxies[(this.#turn + step) % this.#proxies.length] as Proxy;
      if (tried.has(proxy)) continue;
      if (!this.isOut(proxy, nowMs)) {
        this.#turn = (this.#turn + step + 1) % this.#proxies.length;
        return proxy;
      }
      if (!leastOut || this.#healthOf(proxy).outUntilMs < this.#healthOf(leastOut).outUntilMs) leastOut = proxy;
    }
    return leastOut;
  }

  reportWell(proxy: Proxy): void {
    const health = this.#healthOf(proxy);
    health.faults = 0;
    health.outUntilMs = 0;
  }

  reportFault(proxy: Proxy, nowMs: number): void {
    const health = this.#healthOf(proxy);
    // Requests that were on their way together fail together; that is one fault.
    if (nowMs < health.outUntilMs) return;
    health.faults += 1;
    health.outUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (health.faults - 1), LONGEST_PAUSE_MS);
  }

  isOut(proxy: Proxy, nowMs: number): boolean {
    return proxy.isUnhealthy || this.#healthOf(proxy).outUntilMs > nowMs;
  }

  #healthOf(proxy: Proxy): Health {
    return this.#health.get(proxy) as Health;
  }
}
