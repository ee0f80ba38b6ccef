import type { Redis } from 'ioredis';
import { onAbort } from '../abort-listener.js';
import { quotaSpent } from '../platform-error.js';
import { type BudgetCommands, budgetCommands } from './budget-scripts.js';
import { InProcessBudget } from './in-process-budget.js';
import type { BudgetRules, RequestBudget } from './request-budget.js';

export interface SharedRequestBudgetOptions {
  readonly redis: Redis;
  /** Of the bucket that all replicas share. */
  readonly key: string;
  readonly rules: BudgetRules;
  /** A caller that would have to wait longer than this is refused at once; without it, it waits. */
  readonly maxWaitMs?: number;
  /** Redis failed, or answers again. */
  onFallback(away: boolean, error?: unknown): void;
}

interface Waiting {
  readonly requests: number;
  readonly signal: AbortSignal;
  grant(): void;
  refuse(reason: unknown): void;
}

/**
 * While Redis is away no replica knows of the others, so each takes a part that leaves room for three more: slower, but
 * not refused.
 */
const FALLBACK_SHARE = 1 / 4;

/** A penalty that another replica brought may end, and Redis may come back: look again at the latest after this. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * The request budget of a platform, kept in Redis for all replicas. Callers of one process are served in the order in
 * which they came, several in one round trip.
 */
export class SharedRequestBudget implements RequestBudget {
  readonly #options: SharedRequestBudgetOptions;
  readonly #commands: BudgetCommands;
  readonly #fallback: InProcessBudget;
  readonly #waiting = new Set<Waiting>();
  #asking = false;
  #away = false;
  #timer: NodeJS.Timeout | undefined;
  #closedUntilMs = 0;

  constructor(options: SharedRequestBudgetOptions) {
    this.#options = options;
    this.#commands = budgetCommands(options.redis);
    const { rules, maxWaitMs } = options;
    this.#fallback = new InProcessBudget({ ...fallbackRules(rules), ...(maxWaitMs !== undefined && { maxWaitMs }) });
  }

  take(requests: number, signal: AbortSignal): Promise<void> {
    const { burst } = this.#options.rules;
    if (requests > burst) return Promise.reject(new RangeError(`No more than ${burst} can be taken at once.`));
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        if (this.#waiting.size === 0) this.#stopTimer();
        stopListening();
      };
      const waiting: Waiting = {
        requests,
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
      this.#waiting.add(waiting);
      if (this.#timer === undefined) void this.#serve();
    });
  }

  async penalise(retryAfterMs: number): Promise<void> {
    this.#closeFor(retryAfterMs);
    await this.#fallback.penalise(retryAfterMs);
    try {
      const { key, rules } = this.#options;
      this.#closeFor(await this.#commands.penaliseBudget(key, Math.ceil(retryAfterMs), rules.windowMs));
    } catch (error) {
      this.#setAway(true, error);
    }
  }

  /** For how long nothing is granted at all, as far as this process has heard; 0 when something is. */
  remainingMs(): number {
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
      while (this.#waiting.size > 0) {
        const waitMs = await this.#grantFromRedis();
        if (waitMs > 0) {
          this.#serveAfter(waitMs);
          return;
        }
      }
    } catch (error) {
      this.#setAway(true, error);
      this.#grantFromFallback();
    } finally {
      this.#asking = false;
    }
  }

  /** @returns how long to wait before the next one can be granted; 0 when all were. */
  async #grantFromRedis(): Promise<number> {
    const { key, rules, maxWaitMs } = this.#options;
    const asked = this.#firstWaiting();
    const wanted = asked.map(({ requests }) => requests);
    const [granted, waitMs] = await this.#commands.takeFromBudget(
      key,
      rules.limit,
      rules.windowMs,
      rules.burst,
      ...wanted,
    );
    this.#setAway(false);
    // Who was aborted meanwhile leaves a token unused, which only slows the poller.
    for (const waiting of asked.slice(0, granted)) waiting.grant();
    if (waitMs > rules.windowMs) this.#closeFor(waitMs);
    if (waitMs > (maxWaitMs ?? Number.POSITIVE_INFINITY)) {
      const reason = quotaSpent(`the request budget is spent for ${waitMs} ms`, waitMs);
      for (const waiting of this.#waiting) waiting.refuse(reason);
    }
    return waitMs;
  }

  /** No more than one trip can grant: the whole bucket. */
  #firstWaiting(): Waiting[] {
    const first: Waiting[] = [];
    let requests = 0;
    for (const waiting of this.#waiting) {
      requests += waiting.requests;
      if (requests > this.#options.rules.burst) break;
      first.push(waiting);
    }
    return first;
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
  #grantFromFallback(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      this.#fallback.take(waiting.requests, waiting.signal).then(waiting.grant, waiting.refuse);
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #setAway(away: boolean, error?: unknown): void {
    if (this.#away === away) return;
    this.#away = away;
    this.#options.onFallback(away, error);
  }
}

function fallbackRules({ limit, windowMs, burst }: BudgetRules): BudgetRules {
  const share = Math.max(2, Math.floor(limit * FALLBACK_SHARE));
  return { limit: share, windowMs, burst: Math.max(1, Math.min(share - 1, Math.floor(burst * FALLBACK_SHARE))) };
}
