import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Monotonic } from '@artist-watch/delivery/decide/ports';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import { connectionTo, credentialsOf } from './proxy-address.js';
import { codeOf } from './tunnel-error.js';

export interface ProxyHealthOptions {
  /** Asks the proxy at one address whether it is there. */
  check(address: string): Promise<ProxyAnswer>;
  readonly monotonic: Monotonic;
  /** Between two checks. A proxy that is silent for less cannot make a receiver look late. */
  readonly everyMs: number;
}

/** Longer than any request, so that what an address showed is known when a request through it has failed. */
const FORGET_AFTER_MS = 30_000;

/**
 * The health of each proxy behind one name, by address: a healthy one must not answer for another that died with tunnels
 * through it. It is checked for as long as a connection to it is open, and not only after a failure: a proxy that was
 * frozen for a while, and answers again when a request through it has timed out, would look like a silent receiver. One
 * that is unhealthy is checked on until it is well, or forgotten: its address may be that of a pod which is gone.
 */
export class ProxyHealth {
  readonly #options: ProxyHealthOptions;
  readonly #proxies = new Map<string, CheckedProxy>();

  constructor(options: ProxyHealthOptions) {
    this.#options = options;
  }

  /** A connection to a proxy was made. */
  opened(connection: Socket): void {
    const { remoteAddress: address } = connection;
    // It may have been closed already.
    if (address === undefined) return;
    for (const [other, proxy] of this.#proxies) if (proxy.isForgotten) this.#proxies.delete(other);
    let proxy = this.#proxies.get(address);
    if (!proxy) {
      proxy = new CheckedProxy(() => this.#options.check(address), this.#options);
      this.#proxies.set(address, proxy);
    }
    proxy.hold();
    connection.once('close', () => proxy.letGo());
  }

  isUnhealthy(address: string): boolean {
    return this.#proxies.get(address)?.isUnhealthy ?? false;
  }

  /** Did all that were connected to of late leave the last check unanswered, or ask to be left out? */
  get areAllUnhealthy(): boolean {
    const known = [...this.#proxies.values()].filter((proxy) => !proxy.isForgotten);
    return known.length > 0 && known.every((proxy) => proxy.isUnhealthy);
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
    for (const proxy of this.#proxies.values()) proxy.stop();
    this.#proxies.clear();
  }

  #at(address: string | undefined): CheckedProxy | undefined {
    return address === undefined ? undefined : this.#proxies.get(address);
  }
}

class CheckedProxy {
  silentUntilMs = Number.NEGATIVE_INFINITY;
  readonly #ask: () => Promise<ProxyAnswer>;
  readonly #monotonic: Monotonic;
  readonly #everyMs: number;
  #answer: ProxyAnswer = 'well';
  #connections = 0;
  #unusedSinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<ProxyAnswer> | undefined;
  #next: Promise<ProxyAnswer> | undefined;

  constructor(
    ask: () => Promise<ProxyAnswer>,
    { monotonic, everyMs }: Pick<ProxyHealthOptions, 'monotonic' | 'everyMs'>,
  ) {
    this.#ask = ask;
    this.#monotonic = monotonic;
    this.#everyMs = everyMs;
  }

  get isUnhealthy(): boolean {
    return this.#answer !== 'well';
  }

  get isForgotten(): boolean {
    return this.#connections === 0 && this.#monotonic.nowMs() - this.#unusedSinceMs > FORGET_AFTER_MS;
  }

  hold(): void {
    this.#connections += 1;
    this.#startOrStop();
  }

  letGo(): void {
    this.#connections -= 1;
    this.#unusedSinceMs = this.#monotonic.nowMs();
    this.#startOrStop();
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

  stop(): void {
    this.#answer = 'well';
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #start(): Promise<ProxyAnswer> {
    this.#running = this.#ask().then((answer) => {
      this.#running = undefined;
      this.#answer = answer;
      if (answer === 'silent') this.silentUntilMs = this.#monotonic.nowMs();
      this.#startOrStop();
      return answer;
    });
    return this.#running;
  }

  #startOrStop(): void {
    if (this.#connections > 0 || (this.isUnhealthy && !this.isForgotten)) {
      this.#timer ??= setInterval(() => void this.check(), this.#everyMs).unref();
    } else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}

const OVERLOADED: EgressError = 'overloaded';

/** `overloaded`: it is there, and asks to be left out, because it is full or about to stop (ours says so). */
export type ProxyAnswer = 'well' | 'overloaded' | 'silent';

/**
 * Asks the proxy at an address whether it is there, by `OPTIONS *` (RFC 9110 section 9.3.7); whatever it answers, it is. To
 * connect is not enough: the kernel takes connections in the name of a process that is frozen, or dying.
 */
export function checkProxy(
  proxy: URL,
  address: string,
  { lookup, timeoutMs }: { readonly lookup: LookupFunction; readonly timeoutMs: number },
): Promise<ProxyAnswer> {
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
    const deadline = setTimeout(() => finish('silent'), timeoutMs);
    request.on('response', ({ headers }) => finish(headers['x-egress-error'] === OVERLOADED ? 'overloaded' : 'well'));
    // What is not HTTP was said by somebody all the same.
    request.on('error', (error) => finish(codeOf(error).startsWith('HPE_') ? 'well' : 'silent'));
    request.end();
  });
}
