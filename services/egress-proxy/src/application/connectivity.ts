import type { Resolver } from '@artist-watch/address-policy/check-address';
import type { IpAddress } from '@artist-watch/address-policy/ip-address';
import { startDeadline } from '@artist-watch/runtime/clock';
import { type Connection, type Dial, isRefusal } from './dial.js';

/** This timeout, EGRESS_CONNECT_TIMEOUT and the deadline's grace period must add up to less than a worker's timeout. */
const CANARY_TIMEOUT_MS = 900;
/** Limits test connections to one per second during an outage. */
const SHARED_FOR_MS = 1_000;
const HOSTS_IN_A_ROW = 5;
const REMEMBERED_HOSTS = 1_000;
/** Limits how long permanently removed hosts can look like an outage. */
const REMEMBERED_FOR_MS = 24 * 60 * 60 * 1_000;

export interface ConnectivityOptions {
  readonly resolve: Resolver;
  readonly dial: Dial<Connection>;
  readonly monotonicMs: () => number;
  /** Returns a different name each time, so no cache can contain it. A trailing dot bypasses the search list. */
  readonly unusedName: () => string;
}

interface ReachedHost {
  readonly address: IpAddress;
  readonly port: number;
  readonly atMs: number;
}

/**
 * Distinguishes failing receivers from an outage of our name servers or network.
 *
 * - The name servers are down if they don't respond to a lookup of a name that doesn't exist.
 * - The network is down if five hosts that were reached within the last day fail in a row, and a test connection to
 * another host fails too.
 */
export class Connectivity {
  readonly #options: ConnectivityOptions;
  readonly #reached = new Map<string, ReachedHost>();
  /** Known hosts that have failed since the last success. */
  readonly #failing = new Set<string>();
  #lastReachedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectivityOptions) {
    this.#options = options;
  }

  reached(host: string, address: IpAddress, port: number): void {
    const atMs = this.#options.monotonicMs();
    this.#lastReachedAtMs = atMs;
    this.#failing.clear();
    this.#reached.delete(host);
    this.#reached.set(host, { address, port, atMs });
    for (const [oldest, { atMs: oldestAtMs }] of this.#reached) {
      if (this.#reached.size <= REMEMBERED_HOSTS && atMs - oldestAtMs < REMEMBERED_FOR_MS) break;
      this.#reached.delete(oldest);
    }
  }

  /** Call this when a lookup gets no response. Never rejects. */
  readonly areNameServersDown = this.#shared(async () => {
    try {
      await this.#options.resolve(this.#options.unusedName(), AbortSignal.timeout(CANARY_TIMEOUT_MS));
      return false;
    } catch {
      return true;
    }
  });

  /** Call this when a host is unreachable or doesn't respond. Never rejects. */
  async isNetworkDownFor(host: string, dialBeganAtMs: number): Promise<boolean> {
    // A host was reached after this attempt began, so the network is up.
    if (dialBeganAtMs <= this.#lastReachedAtMs) return false;
    if (this.#wasReachedWithinADay(host)) this.#failing.add(host);
    return this.#hasSuspicion() && !(await this.#canaryAnswers()) && this.#hasSuspicion();
  }

  #hasSuspicion(): boolean {
    return [...this.#failing].filter((host) => this.#wasReachedWithinADay(host)).length >= HOSTS_IN_A_ROW;
  }

  readonly #canaryAnswers = this.#shared(async () => {
    const canary = [...this.#reached]
      .reverse()
      .find(([host]) => !this.#failing.has(host) && this.#wasReachedWithinADay(host));
    if (!canary) return false;
    const [host, { address, port }] = canary;
    const stop = new AbortController();
    const deadline = startDeadline(CANARY_TIMEOUT_MS, () => stop.abort());
    try {
      (await this.#options.dial(address, port, stop.signal)).destroy();
    } catch (error) {
      if (!isRefusal(error)) {
        // This host may be down for a different reason, so the next test connection uses another one.
        this.#failing.add(host);
        return false;
      }
    } finally {
      deadline.cancel();
    }
    this.reached(host, address, port);
    return true;
  });

  #wasReachedWithinADay(host: string): boolean {
    const reached = this.#reached.get(host);
    return reached !== undefined && this.#options.monotonicMs() - reached.atMs < REMEMBERED_FOR_MS;
  }

  #shared(ask: () => Promise<boolean>): () => Promise<boolean> {
    let askedAtMs = Number.NEGATIVE_INFINITY;
    let answer = Promise.resolve(false);
    return () => {
      const nowMs = this.#options.monotonicMs();
      if (nowMs - askedAtMs >= SHARED_FOR_MS) {
        askedAtMs = nowMs;
        answer = ask();
      }
      return answer;
    };
  }
}
