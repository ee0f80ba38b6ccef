import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import type { Monotonic } from '@artist-watch/runtime/clock';
import { connectionTo, credentialsOf } from './open-tunnel.js';
import { codeOf } from './tunnel-error.js';

interface ProxyHealthOptions {
  readonly proxy: URL;
  readonly lookup: LookupFunction;
  readonly monotonic: Monotonic;
  /** For one check, and between two. A proxy that is silent for less cannot make a receiver look late. */
  readonly checkMs: number;
}

/** Longer than any request, so that what an address showed is known when a request through it has failed. */
const FORGET_AFTER_MS = 30_000;

/**
 * The health of each proxy behind one name, by address: a healthy one must not answer for another that died with tunnels
 * through it. Each is checked for as long as a connection to it is open, and not only after a failure: a proxy that was
 * frozen for a while, and answers again when a request through it has timed out, would look like a silent receiver. An
 * unhealthy one is checked until it is well, or forgotten: its address may be that of a pod which is gone.
 */
export class ProxyHealth {
  readonly #options: ProxyHealthOptions;
  readonly #proxies = new Map<string, CheckedProxy>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ProxyHealthOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#checkAll(), options.checkMs).unref();
  }

  /** A connection to a proxy was made. */
  opened(connection: Socket): void {
    const { monotonic } = this.#options;
    const { remoteAddress: address } = connection;
    // It may have been closed already.
    if (address === undefined) return;
    const proxy = this.#proxies.get(address) ?? new CheckedProxy(address, this.#options);
    this.#proxies.set(address, proxy);
    proxy.connections += 1;
    connection.once('close', () => {
      proxy.connections -= 1;
      proxy.unusedSinceMs = monotonic.nowMs();
    });
  }

  isUnhealthy(address: string): boolean {
    return this.#proxies.get(address)?.isUnhealthy ?? false;
  }

  /** Did all that were connected to of late leave the last check unanswered, or ask to be left out? */
  get areAllUnhealthy(): boolean {
    return this.#proxies.size > 0 && [...this.#proxies.values()].every((proxy) => proxy.isUnhealthy);
  }

  /** Did the proxy at the address leave a check unanswered since then? Makes none. */
  wasSilentSince(address: string | undefined, sinceMs: number): boolean {
    return (this.#at(address)?.silentUntilMs ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  /** Checks it once more, and says whether it answered every check since then. */
  async answeredSince(address: string | undefined, sinceMs: number): Promise<boolean> {
    const proxy = this.#at(address);
    return !proxy || ((await proxy.check()) !== 'silent' && proxy.silentUntilMs < sinceMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#proxies.clear();
  }

  #at(address: string | undefined): CheckedProxy | undefined {
    return address === undefined ? undefined : this.#proxies.get(address);
  }

  #checkAll(): void {
    const forgottenMs = this.#options.monotonic.nowMs() - FORGET_AFTER_MS;
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
  readonly #address: string;
  readonly #options: ProxyHealthOptions;
  #answer: ProxyAnswer = 'well';
  #running: Promise<ProxyAnswer> | undefined;
  #next: Promise<ProxyAnswer> | undefined;

  constructor(address: string, options: ProxyHealthOptions) {
    this.#address = address;
    this.#options = options;
  }

  get isUnhealthy(): boolean {
    return this.#answer !== 'well';
  }

  /** One check at a time: those who ask meanwhile share the next one, so that a thousand broken tunnels cost two. */
  check(): Promise<ProxyAnswer> {
    if (!this.#running) return this.#start();
    // The one that is on its way may have been answered before what made this one ask.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  #start(): Promise<ProxyAnswer> {
    this.#running = checkProxy(this.#address, this.#options).then((answer) => {
      this.#running = undefined;
      this.#answer = answer;
      if (answer === 'silent') this.silentUntilMs = this.#options.monotonic.nowMs();
      return answer;
    });
    return this.#running;
  }
}

const OVERLOADED: EgressError = 'overloaded';

/** `overloaded`: it is there, and asks to be left out, because it is full or about to stop (ours says so). */
type ProxyAnswer = 'well' | 'overloaded' | 'silent';

/**
 * Asks the proxy at an address whether it is there, by `OPTIONS *` (RFC 9110 section 9.3.7); whatever it answers, it is. To
 * connect is not enough: the kernel takes connections in the name of a process that is frozen, or dying.
 */
function checkProxy(address: string, { proxy, lookup, checkMs }: ProxyHealthOptions): Promise<ProxyAnswer> {
  return new Promise((resolve) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      ...connectionTo(proxy, lookup, address),
      method: 'OPTIONS',
      path: '*',
      headers: credentialsOf(proxy),
    });
    const finish = (answer: ProxyAnswer) => {
      clearTimeout(deadline);
      resolve(answer);
      request.destroy();
    };
    const deadline = setTimeout(() => finish('silent'), checkMs);
    request.on('response', ({ headers }) => finish(headers['x-egress-error'] === OVERLOADED ? 'overloaded' : 'well'));
    // What is not HTTP was said by somebody all the same.
    request.on('error', (error) => finish(codeOf(error).startsWith('HPE_') ? 'well' : 'silent'));
    request.end();
  });
}
