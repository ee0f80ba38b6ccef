import type { Socket } from 'node:net';
import { errorCode, type ProxyEndpoint } from './open-tunnel.js';

interface ProxyHealthOptions {
  readonly proxy: ProxyEndpoint;
  /** Used as both the interval and the timeout of health checks. */
  readonly checkMs: number;
}

/**
 * Longer than any request, so that when a request fails, the results of all checks made during it are still available.
 */
const FORGET_AFTER_MS = 30_000;

/** Checks each proxy by its address, because several can share a name and a healthy one could hide a dead one. */
export class ProxyHealth {
  readonly #options: ProxyHealthOptions;
  readonly #proxies = new Map<string, CheckedProxy>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ProxyHealthOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#checkAll(), options.checkMs).unref();
  }

  trackConnection(connection: Socket): void {
    const { remoteAddress: address } = connection;
    if (address === undefined) return;
    const proxy = this.#proxies.get(address) ?? new CheckedProxy(address, this.#options);
    this.#proxies.set(address, proxy);
    proxy.connections += 1;
    connection.once('close', () => {
      proxy.connections -= 1;
      proxy.unusedSinceMs = performance.now();
    });
  }

  isUnhealthy(address: string): boolean {
    return this.#proxies.get(address)?.isUnhealthy ?? false;
  }

  get areAllUnhealthy(): boolean {
    return this.#proxies.size > 0 && [...this.#proxies.values()].every((proxy) => proxy.isUnhealthy);
  }

  /** True if a check since `sinceMs` got no response. Doesn't start a check itself. */
  wasSilentSince(address: string | undefined, sinceMs: number): boolean {
    return (this.#proxies.get(address ?? '')?.silentUntilMs ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  /** Starts a check. Resolves with true if the proxy has responded to every check since `sinceMs`. */
  async answeredSince(address: string | undefined, sinceMs: number): Promise<boolean> {
    const proxy = this.#proxies.get(address ?? '');
    return !proxy || ((await proxy.check()) !== 'silent' && proxy.silentUntilMs < sinceMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#proxies.clear();
  }

  #checkAll(): void {
    const forgottenMs = performance.now() - FORGET_AFTER_MS;
    for (const [address, proxy] of this.#proxies) {
      if (proxy.connections === 0 && proxy.unusedSinceMs < forgottenMs) this.#proxies.delete(address);
      else if (proxy.connections > 0 || proxy.isUnhealthy) void proxy.check();
    }
  }
}

class CheckedProxy {
  connections = 0;
  unusedSinceMs = 0;
  silentUntilMs = Number.NEGATIVE_INFINITY;
  isUnhealthy = false;
  readonly #address: string;
  readonly #options: ProxyHealthOptions;
  #running: Promise<CheckResult> | undefined;
  #next: Promise<CheckResult> | undefined;

  constructor(address: string, options: ProxyHealthOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Concurrent calls share a check, so even many broken tunnels cause at most two checks. */
  check(): Promise<CheckResult> {
    if (this.#running) {
      // The check in progress may have started before the failure that caused this call.
      this.#next ??= this.#running.then(() => {
        this.#next = undefined;
        return this.check();
      });
      return this.#next;
    }
    this.#running = checkProxy(this.#address, this.#options).then((result) => {
      this.#running = undefined;
      this.isUnhealthy = result !== 'healthy';
      if (result === 'silent') this.silentUntilMs = performance.now();
      return result;
    });
    return this.#running;
  }
}

/** A proxy that is shutting down responds with `overloaded` (services/egress-proxy). */
type CheckResult = 'healthy' | 'overloaded' | 'silent';

/**
 * Checks a proxy with `OPTIONS *` (RFC 9110, section 9.3.7). Connecting proves nothing, because the kernel accepts
 * connections even if the process is frozen.
 */
function checkProxy(address: string, { proxy, checkMs }: ProxyHealthOptions): Promise<CheckResult> {
  return new Promise((resolve) => {
    const request = proxy.transport.request({
      ...proxy.connection,
      host: address,
      method: 'OPTIONS',
      path: '*',
      headers: proxy.authorization,
    });
    const finish = (result: CheckResult) => {
      clearTimeout(deadline);
      resolve(result);
      request.destroy();
    };
    const deadline = setTimeout(() => finish('silent'), checkMs);
    request.on('response', ({ headers }) =>
      finish(headers['x-egress-error'] === 'overloaded' ? 'overloaded' : 'healthy'),
    );
    // Even a response that isn't valid HTTP proves that the proxy is running.
    request.on('error', (error) => finish(errorCode(error).startsWith('HPE_') ? 'healthy' : 'silent'));
    request.end();
  });
}
