import { onAbort } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import { quotaSpent } from '../port.js';
import {
  type BucketStore,
  type BudgetRules,
  fillRate,
  processBucket,
  type RequestBudget,
  type RequestUrgency,
  redisBucket,
} from './request-budget.js';

export interface PlatformBudgetOptions {
  readonly rules: BudgetRules;
  /** A call fails immediately if it would have to wait longer than this. */
  readonly maxWaitMs?: number | undefined;
  /** If the platform requests a longer pause than this, calls fail immediately. */
  readonly maxPauseMs?: number | undefined;
  readonly shared?:
    | {
        readonly redis: Redis;
        readonly key: string;
        onFallback(away: boolean, error?: unknown): void;
      }
    | undefined;
}

/**
 * While Redis is unavailable, a replica uses this fraction of the budget, because it cannot know how many others there
 * are.
 */
const FALLBACK_SHARE = 1 / 4;

/** Waits are recomputed at this interval, because an operator can end a pause early. */
const MAX_RECHECK_MS = 1_000;

/** Every fourth grant goes to `close` requests, so that `due` requests cannot starve them. */
const DUE_PER_CLOSE = 3;

/** `spare` requests leave this fraction of the bucket for more urgent requests from any replica. */
const SPARE_RESERVE_SHARE = 1 / 2;

/** A `spare` request fails after waiting this long. */
const SPARE_TIMEOUT_MS = 3_000;

/** Grants requests by urgency, then prefers accounts that have used less of the budget (`WaitingLine`). */
export class PlatformBudget implements RequestBudget {
  readonly #options: PlatformBudgetOptions;
  readonly #bucket: BucketStore;
  readonly #tokensPerMs: number;
  readonly #fallback: PlatformBudget | undefined;
  readonly #waiting: Readonly<Record<RequestUrgency, WaitingLine>> = {
    due: new WaitingLine(),
    close: new WaitingLine(),
    spare: new WaitingLine(),
  };
  #dueGrants = 0;
  #isServing = false;
  #isRedisAway = false;
  #timer: NodeJS.Timeout | undefined;
  #closedUntilMs = 0;
  /** The end of a pause that could not be stored in Redis. */
  #unsharedUntilMs = 0;

  constructor(options: PlatformBudgetOptions) {
    this.#options = options;
    const { rules, shared, ...rest } = options;
    this.#tokensPerMs = fillRate(rules);
    this.#bucket = shared ? redisBucket(shared.redis, shared.key, rules) : processBucket(rules);
    this.#fallback = shared && new PlatformBudget({ ...rest, rules: fallbackRules(rules) });
  }

  take(requests: number, signal: AbortSignal, urgency: RequestUrgency = 'due', account?: string): Promise<void> {
    const { burst } = this.#options.rules;
    if (requests > burst) return Promise.reject(new RangeError(`At most ${burst} requests can be taken in one call.`));
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const cleanUp = () => {
        this.#waiting[urgency].delete(waiting);
        if (!this.#isWanted()) this.#stopTimer();
        clearTimeout(timeout);
        stopListening();
      };
      const waiting: WaitingRequests = {
        requests,
        urgency,
        account,
        signal,
        grant: () => {
          this.#waiting[urgency].advanceTo(waiting);
          cleanUp();
          resolve();
        },
        reject: (reason) => {
          cleanUp();
          reject(reason);
        },
      };
      const stopListening = onAbort(signal, () => waiting.reject(signal.reason));
      const timeout =
        urgency === 'spare' ? setTimeout(() => waiting.reject(noSpareBudget()), SPARE_TIMEOUT_MS) : undefined;
      const isFirst = !this.#hasPrecedence();
      this.#waiting[urgency].add(waiting);
      // The current timer may fire too late, because it was set for a `spare` request.
      if (urgency !== 'spare' && isFirst) this.#stopTimer();
      if (this.#timer === undefined) void this.#serve();
    });
  }

  async penalise(retryAfterMs: number): Promise<void> {
    this.#closeFor(retryAfterMs);
    await this.#fallback?.penalise(retryAfterMs);
    try {
      this.#closeFor(await this.#bucket.penalise(retryAfterMs));
    } catch (error) {
      this.#unsharedUntilMs = this.#closedUntilMs;
      this.#setRedisAway(true, error);
    }
  }

  /**
   * Returns the remaining pause in milliseconds. Rechecks a known pause, because an operator can end it early (`cli
   * platform resume`).
   */
  async remainingMs(): Promise<number> {
    if (this.#closedUntilMs > performance.now()) {
      try {
        const { waitMs } = await this.#bucket.take([0], 0);
        this.#closedUntilMs = Math.max(this.#unsharedUntilMs, performance.now() + waitMs);
      } catch (error) {
        this.#setRedisAway(true, error);
      }
    }
    return Math.max(0, this.#closedUntilMs - performance.now());
  }

  #closeFor(durationMs: number): void {
    this.#closedUntilMs = Math.max(this.#closedUntilMs, performance.now() + durationMs);
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#isWanted()) {
        const forSpare = !this.#hasPrecedence();
        const waitMs = await this.#grantFromBucket();
        // If a more urgent request arrived during the call, call again, because that request may use the reserve.
        if (waitMs > 0 && !(forSpare && this.#hasPrecedence())) {
          this.#serveAfter(waitMs);
          return;
        }
      }
    } catch (error) {
      this.#setRedisAway(true, error);
      this.#grantFromFallback(error);
    } finally {
      this.#isServing = false;
    }
  }

  async #grantFromBucket(): Promise<number> {
    const { rules } = this.#options;
    const reserve = this.#hasPrecedence() ? 0 : Math.floor(rules.burst * SPARE_RESERVE_SHARE);
    const batch = this.#nextWaiting(rules.burst - reserve);
    const wanted = batch.map(({ requests }) => requests);
    const { granted, waitMs } = await this.#bucket.take(wanted, reserve);
    this.#setRedisAway(false);
    // An aborted request wastes its token, which only slows polling.
    for (const waiting of batch.slice(0, granted)) {
      this.#dueGrants = waiting.urgency === 'close' ? 0 : this.#dueGrants + 1;
      waiting.grant();
    }
    if (waitMs > rules.windowMs) this.#closeFor(waitMs);
    if (waitMs > 0) this.#rejectLongWaits(waitMs);
    return waitMs;
  }

  /** The computed wait is a minimum, because other replicas use the same bucket. */
  #rejectLongWaits(firstWaitMs: number): void {
    const { maxWaitMs, maxPauseMs } = this.#options;
    if (maxPauseMs !== undefined && firstWaitMs > maxPauseMs) {
      this.#closeFor(firstWaitMs);
      const reason = quotaSpent(
        `the platform accepts no requests for ${Math.ceil(firstWaitMs / 1_000)} s`,
        firstWaitMs,
      );
      for (const waiting of this.#allWaiting()) waiting.reject(reason);
    }
    if (maxWaitMs === undefined) return;
    let before = 0;
    for (const waiting of this.#nextWaiting(Number.POSITIVE_INFINITY)) {
      const waitMs = Math.ceil(firstWaitMs + before / this.#tokensPerMs);
      if (waitMs > maxWaitMs)
        waiting.reject(quotaSpent(`the request would wait ${waitMs} ms for the request budget`, waitMs));
      before += waiting.requests;
    }
  }

  #isWanted(): boolean {
    return this.#hasPrecedence() || this.#waiting.spare.size > 0;
  }

  #hasPrecedence(): boolean {
    return this.#waiting.due.size + this.#waiting.close.size > 0;
  }

  #allWaiting(): WaitingRequests[] {
    const { due, close, spare } = this.#waiting;
    return [...due.inOrder(), ...close.inOrder(), ...spare.inOrder()];
  }

  #nextWaiting(most: number): WaitingRequests[] {
    const { due, close, spare } = this.#waiting;
    const [nextDue, nextClose] = [due.inOrder(), close.inOrder()];
    const next: WaitingRequests[] = [];
    let [requests, dueGrants] = [0, this.#dueGrants];
    for (;;) {
      const isClose = nextDue.length === 0 || (nextClose.length > 0 && dueGrants >= DUE_PER_CLOSE);
      const waiting = (isClose ? nextClose : nextDue).shift();
      if (waiting === undefined) break;
      dueGrants = isClose ? 0 : dueGrants + 1;
      requests += waiting.requests;
      if (requests > most && next.length > 0) return next;
      next.push(waiting);
    }
    return next.length > 0 ? next : spare.inOrder().slice(0, Math.max(1, most));
  }

  #serveAfter(waitMs: number): void {
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#serve();
      },
      Math.min(waitMs, MAX_RECHECK_MS),
    );
  }

  #grantFromFallback(error: unknown): void {
    for (const waiting of this.#waiting.spare.inOrder()) waiting.reject(noSpareBudget());
    for (const waiting of this.#allWaiting()) {
      this.#waiting[waiting.urgency].delete(waiting);
      const { requests, signal, urgency, account } = waiting;
      const granted = this.#fallback?.take(requests, signal, urgency, account) ?? Promise.reject(error);
      granted.then(waiting.grant, waiting.reject);
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #setRedisAway(away: boolean, error?: unknown): void {
    if (this.#isRedisAway === away) return;
    this.#isRedisAway = away;
    this.#options.shared?.onFallback(away, error);
  }
}

function fallbackRules({ limit, windowMs, burst }: BudgetRules): BudgetRules {
  const share = Math.max(2, Math.floor(limit * FALLBACK_SHARE));
  return { limit: share, windowMs, burst: Math.max(1, Math.min(share - 1, Math.floor(burst * FALLBACK_SHARE))) };
}

function noSpareBudget(): Error {
  return quotaSpent('no request budget is left', SPARE_TIMEOUT_MS);
}

interface WaitingRequests {
  readonly requests: number;
  readonly urgency: RequestUrgency;
  /** Requests without an account are treated as if they came from a single account. */
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  grant(): void;
  reject(reason: unknown): void;
}

/**
 * Start-time fair queuing (Goyal, Vin, Cheng, 1996): accounts with few requests do not wait behind an
 * account with many.
 */
class WaitingLine {
  readonly #starts = new Map<WaitingRequests, number>();
  readonly #endOfAccount = new Map<string | undefined, number>();
  #grantedStart = 0;

  get size(): number {
    return this.#starts.size;
  }

  add(waiting: WaitingRequests): void {
    const { account, requests } = waiting;
    const start = Math.max(this.#grantedStart, this.#endOfAccount.get(account) ?? 0);
    this.#starts.set(waiting, start);
    this.#endOfAccount.set(account, start + requests);
  }

  advanceTo(waiting: WaitingRequests): void {
    this.#grantedStart = Math.max(this.#grantedStart, this.#starts.get(waiting) ?? 0);
    for (const [account, end] of this.#endOfAccount) if (end <= this.#grantedStart) this.#endOfAccount.delete(account);
  }

  delete(waiting: WaitingRequests): void {
    this.#starts.delete(waiting);
    if (this.#starts.size === 0) this.#endOfAccount.clear();
  }

  inOrder(): WaitingRequests[] {
    return [...this.#starts].sort(([, a], [, b]) => a - b).map(([waiting]) => waiting);
  }
}
