import { onAbort } from '@artist-watch/runtime/abort';
import type { Redis } from 'ioredis';
import { quotaSpent } from '../platform-error.js';
import { redisBucket } from './budget-scripts.js';
import type { BudgetRules, RequestBudget, RequestUrgency } from './request-budget.js';
import { type BucketStore, fillRate, processBucket } from './token-bucket.js';

export interface PlatformBudgetOptions {
  readonly rules: BudgetRules;
  /** A caller that would have to wait longer than this is refused; without it, it waits. */
  readonly maxWaitMs?: number | undefined;
  /** While the platform wants a longer pause than this, callers are refused; without it, they wait. */
  readonly maxPauseMs?: number | undefined;
  /** The bucket that all replicas share; one of this process without it. */
  readonly shared?:
    | {
        readonly redis: Redis;
        readonly key: string;
        /** Redis failed, or answers again. */
        onFallback(away: boolean, error?: unknown): void;
      }
    | undefined;
}

interface WaitingRequests {
  readonly requests: number;
  readonly urgency: RequestUrgency;
  readonly signal: AbortSignal;
  grant(): void;
  refuse(reason: unknown): void;
}

/** While Redis is away each replica takes a quarter of the budget: no replica knows of the others. */
const FALLBACK_SHARE = 1 / 4;

/** A penalty that another replica brought may end, and Redis may come back: look again at the latest after this. */
const LONGEST_PAUSE_MS = 1_000;

/** Of four turns that are wanted by both, `due` requests get three. */
const DUE_TURNS = 3;

/** `spare` requests leave half of the bucket to whoever comes next, on whichever replica. */
const SPARE_LEAVES = 1 / 2;

/** Where nothing is left over for so long, `spare` requests are refused, so that their reading ends. */
const SPARE_PATIENCE_MS = 3_000;

/**
 * The request budget of a platform, kept in Redis for all replicas or in one process. Callers of one process are served by
 * their urgency, and within it in the order in which they came, several in one round trip.
 */
export class PlatformBudget implements RequestBudget {
  readonly #options: PlatformBudgetOptions;
  readonly #bucket: BucketStore;
  readonly #tokensPerMs: number;
  readonly #fallback: PlatformBudget | undefined;
  readonly #waiting: Readonly<Record<RequestUrgency, Set<WaitingRequests>>> = {
    due: new Set(),
    close: new Set(),
    spare: new Set(),
  };
  /** `due` requests that were granted since a `close` one was. */
  #dueTurns = 0;
  #asking = false;
  #away = false;
  #timer: NodeJS.Timeout | undefined;
  #closedUntilMs = 0;
  /** The end of a pause that Redis could not be given. */
  #unsharedUntilMs = 0;

  /** @throws RangeError for a burst that does not fit into the limit. */
  constructor(options: PlatformBudgetOptions) {
    this.#options = options;
    const { rules, shared, ...rest } = options;
    this.#tokensPerMs = fillRate(rules);
    this.#bucket = shared ? redisBucket(shared.redis, shared.key, rules) : processBucket(rules);
    this.#fallback = shared && new PlatformBudget({ ...rest, rules: fallbackRules(rules) });
  }

  take(requests: number, signal: AbortSignal, urgency: RequestUrgency = 'due'): Promise<void> {
    const { burst } = this.#options.rules;
    if (requests > burst) return Promise.reject(new RangeError(`No more than ${burst} can be taken at once.`));
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting[urgency].delete(waiting);
        if (!this.#isWanted()) this.#stopTimer();
        clearTimeout(patience);
        stopListening();
      };
      const waiting: WaitingRequests = {
        requests,
        urgency,
        signal,
        grant: () => {
          leave();
          resolve();
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      const stopListening = onAbort(signal, () => waiting.refuse(signal.reason));
      const patience =
        urgency === 'spare' ? setTimeout(() => waiting.refuse(nothingLeftOver()), SPARE_PATIENCE_MS) : undefined;
      const isFirst = !this.#hasPrecedence();
      this.#waiting[urgency].add(waiting);
      // A timer that was set for spare requests alone is too late for others.
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
      this.#setAway(true, error);
    }
  }

  /**
   * Milliseconds until something is granted, 0 if something is now. Reads a known pause again, because an operator can end it
   * (`cli platform resume`). A pause of another replica is unknown until this one takes from the budget.
   */
  async remainingMs(): Promise<number> {
    if (this.#closedUntilMs > performance.now()) {
      try {
        const { waitMs } = await this.#bucket.take([0], 0);
        this.#closedUntilMs = Math.max(this.#unsharedUntilMs, performance.now() + waitMs);
      } catch (error) {
        this.#setAway(true, error);
      }
    }
    return Math.max(0, this.#closedUntilMs - performance.now());
  }

  #closeFor(durationMs: number): void {
    this.#closedUntilMs = Math.max(this.#closedUntilMs, performance.now() + durationMs);
  }

  /** Asks for those who wait, grants what is granted, and comes back when there is more. */
  async #serve(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (this.#isWanted()) {
        const forSpare = !this.#hasPrecedence();
        const waitMs = await this.#grantFromBucket();
        // Who came meanwhile and has precedence may not have to wait.
        if (waitMs > 0 && !(forSpare && this.#hasPrecedence())) {
          this.#serveAfter(waitMs);
          return;
        }
      }
    } catch (error) {
      this.#setAway(true, error);
      this.#grantFromFallback(error);
    } finally {
      this.#asking = false;
    }
  }

  /** @returns how long to wait before the next one can be granted; 0 when all were. */
  async #grantFromBucket(): Promise<number> {
    const { rules } = this.#options;
    const reserve = this.#hasPrecedence() ? 0 : Math.floor(rules.burst * SPARE_LEAVES);
    const asked = this.#nextWaiting(rules.burst - reserve);
    const wanted = asked.map(({ requests }) => requests);
    const { granted, waitMs } = await this.#bucket.take(wanted, reserve);
    this.#setAway(false);
    // Who was aborted meanwhile leaves a token unused, which only slows the poller.
    for (const waiting of asked.slice(0, granted)) {
      this.#dueTurns = waiting.urgency === 'close' ? 0 : this.#dueTurns + 1;
      waiting.grant();
    }
    if (waitMs > rules.windowMs) this.#closeFor(waitMs);
    if (waitMs > 0) this.#refuseLongWaits(waitMs);
    return waitMs;
  }

  /** Refuses callers that would wait too long behind the others. Other replicas can make the wait longer, never shorter. */
  #refuseLongWaits(firstWaitMs: number): void {
    const { maxWaitMs, maxPauseMs } = this.#options;
    if (maxPauseMs !== undefined && firstWaitMs > maxPauseMs) {
      this.#closeFor(firstWaitMs);
      const reason = quotaSpent(`the platform allows no requests for ${Math.ceil(firstWaitMs / 1_000)} s`, firstWaitMs);
      for (const waiting of this.#allWaiting()) waiting.refuse(reason);
    }
    if (maxWaitMs === undefined) return;
    let before = 0;
    for (const waiting of this.#nextWaiting(Number.POSITIVE_INFINITY)) {
      const waitMs = Math.ceil(firstWaitMs + before / this.#tokensPerMs);
      if (waitMs > maxWaitMs) waiting.refuse(quotaSpent(`the request budget is spent for ${waitMs} ms`, waitMs));
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
    return [...due, ...close, ...spare];
  }

  /** In the order of their turns; no more than one trip can grant, and one at least. */
  #nextWaiting(most: number): WaitingRequests[] {
    const { due, close, spare } = this.#waiting;
    const [nextDue, nextClose] = [[...due], [...close]];
    const next: WaitingRequests[] = [];
    let [requests, dueTurns] = [0, this.#dueTurns];
    for (;;) {
      const isClose = nextDue.length === 0 || (nextClose.length > 0 && dueTurns >= DUE_TURNS);
      const waiting = (isClose ? nextClose : nextDue).shift();
      if (waiting === undefined) break;
      dueTurns = isClose ? 0 : dueTurns + 1;
      requests += waiting.requests;
      if (requests > most && next.length > 0) return next;
      next.push(waiting);
    }
    return next.length > 0 ? next : [...spare].slice(0, Math.max(1, most));
  }

  #serveAfter(waitMs: number): void {
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#serve();
      },
      Math.min(waitMs, LONGEST_PAUSE_MS),
    );
  }

  /** Those who wait now are served from this process's own part; those who come later ask Redis again. */
  #grantFromFallback(error: unknown): void {
    for (const waiting of this.#waiting.spare) waiting.refuse(nothingLeftOver());
    for (const waiting of this.#allWaiting()) {
      this.#waiting[waiting.urgency].delete(waiting);
      const { requests, signal, urgency } = waiting;
      const granted = this.#fallback?.take(requests, signal, urgency) ?? Promise.reject(error);
      granted.then(waiting.grant, waiting.refuse);
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #setAway(away: boolean, error?: unknown): void {
    if (this.#away === away) return;
    this.#away = away;
    this.#options.shared?.onFallback(away, error);
  }
}

function fallbackRules({ limit, windowMs, burst }: BudgetRules): BudgetRules {
  const share = Math.max(2, Math.floor(limit * FALLBACK_SHARE));
  return { limit: share, windowMs, burst: Math.max(1, Math.min(share - 1, Math.floor(burst * FALLBACK_SHARE))) };
}

function nothingLeftOver(): Error {
  return quotaSpent('the request budget leaves nothing over', SPARE_PATIENCE_MS);
}
