import { ApiError } from '@artist-watch/contracts/api/errors';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { DestinationId } from '@artist-watch/domain/ids';
import { Gates } from '@artist-watch/runtime/gate';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RequestContext } from '../request-context.js';

interface RateLimitOptions {
  readonly shared: SharedCounter;
  readonly windowMs: number;
  readonly monotonicMs: () => number;
  readonly onFallback: (reason: unknown) => void;
}

/**
 * How long to pause after a failure. The pause is longer than the shared counter's timeout, so that few requests have
 * to wait for a timeout.
 */
const PAUSE_MS = 2_000;

const MAX_NAMES = 100_000;

/**
 * Limits requests across all replicas (docs/api/requests.md). While the shared counter is unavailable, each replica
 * continues from the last shared count.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #local: FixedWindows;
  #failedLast = false;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#local = new FixedWindows({ windowMs: options.windowMs, maxNames: MAX_NAMES });
  }

  async count(name: string, limit: number): Promise<WindowCount> {
    const { shared, monotonicMs, onFallback } = this.#options;
    if (monotonicMs() < this.#pausedUntilMs) {
      onFallback(undefined);
      return this.#local.count(name, limit, monotonicMs());
    }
    // Only one request tries the shared counter, so that the others don't have to wait for its timeout.
    if (this.#failedLast) this.#pause();
    try {
      const count = await shared.count(name, limit);
      this.#failedLast = false;
      this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
      this.#local.remember(name, limit - count.remaining, count.resetsInMs, monotonicMs());
      return count;
    } catch (error) {
      this.#failedLast = true;
      this.#pause();
      onFallback(error);
      return this.#local.count(name, limit, monotonicMs());
    }
  }

  #pause(): void {
    this.#pausedUntilMs = this.#options.monotonicMs() + PAUSE_MS;
  }
}

interface OpenWindow {
  used: number;
  readonly endsAtMs: number;
}

/** Counts requests in this process. A window starts with its first request. */
export class FixedWindows {
  readonly #windowMs: number;
  readonly #open: LRUCache<string, OpenWindow>;

  /** @param maxNames maximum number of counters. Beyond that, the least recently used one is dropped. */
  constructor({ windowMs, maxNames }: { readonly windowMs: number; readonly maxNames: number }) {
    this.#windowMs = windowMs;
    // Unlike `maxSize`, `max` would allocate memory for all names (up to 3 MB) at startup.
    this.#open = new LRUCache({ maxSize: maxNames, sizeCalculation: () => 1 });
  }

  count(name: string, limit: number, nowMs: number): WindowCount {
    let window = this.#open.get(name);
    if (!window || window.endsAtMs <= nowMs) {
      window = { used: 0, endsAtMs: nowMs + this.#windowMs };
      this.#open.set(name, window);
    }
    const admitted = window.used < limit;
    if (admitted) window.used += 1;
    return { admitted, remaining: Math.max(0, limit - window.used), resetsInMs: window.endsAtMs - nowMs };
  }

  remember(name: string, used: number, resetsInMs: number, nowMs: number): void {
    this.#open.set(name, { used, endsAtMs: nowMs + resetsInMs });
  }
}

export interface WindowCount {
  /** False if the limit had already been reached. Rejected requests are not counted. */
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetsInMs: number;
}

/** A counter shared by all replicas. `count` rejects if it is unavailable. */
interface SharedCounter {
  count(name: string, limit: number): Promise<WindowCount>;
}

export function secondsToWait(resetsInMs: number): number {
  return Math.ceil((resetsInMs + 1) / 1000);
}

/** A request that waits longer gets a 503. */
const MAX_WAIT_MS = 3_000;

/**
 * Limits how many requests each caller can have in progress in this process. A request counts until the client has
 * received the response.
 */
export class RequestsInProgress {
  readonly #gates: Gates;

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#gates = new Gates({ maxRunning: atOnce, maxWaiting, maxWaitMs: MAX_WAIT_MS });
  }

  /** Resolves when the request may start. @throws GateFull */
  enter(caller: string, context: RequestContext): Promise<void> {
    const ended = context.ended();
    return new Promise((resolve, reject) => {
      const work = () => {
        resolve();
        return ended;
      };
      this.#gates.run(caller, work).catch(reject);
    });
  }
}

/**
 * Counts a request unless the limit is reached. The window starts with the first request.
 *
 * KEYS[1] the counter of one account or destination
 * ARGV[1] number of points to add, always 1
 * ARGV[2] length of the window in seconds
 * ARGV[3] the limit
 * Returns { the new count, or limit + 1 if the limit was already reached; milliseconds until the window ends }
 */
const COUNT_UNLESS_FULL = `
local used = tonumber(redis.call('get', KEYS[1]) or '0')
local left = redis.call('pttl', KEYS[1])
if used + tonumber(ARGV[1]) > tonumber(ARGV[3]) and left > 0 then
  return { tonumber(ARGV[3]) + 1, left }
end
if left < 0 then
  redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return { tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000 }
end
return { redis.call('incrby', KEYS[1], ARGV[1]), left }`;

/** Creates one limiter per limit. The limiters share their counters, so changing plans does not reset the count. */
function redisCounter(redis: Redis, keyPrefix: string, windowMs: number, limits: readonly number[]): SharedCounter {
  const limiters = new Map(
    limits.map((points) => [
      points,
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix,
        points,
        duration: windowMs / 1_000,
        customIncrTtlLuaScript: COUNT_UNLESS_FULL,
      }),
    ]),
  );
  return {
    async count(name, limit) {
      const limiter = limiters.get(limit);
      if (!limiter) throw new Error(`The limit ${limit} is not configured for ${keyPrefix}.`);
      try {
        return toCount(await limiter.consume(name), true);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return toCount(refusal, false);
        throw refusal;
      }
    },
  };
}

function toCount({ remainingPoints, msBeforeNext }: RateLimiterRes, admitted: boolean): WindowCount {
  return { admitted, remaining: remainingPoints, resetsInMs: msBeforeNext };
}

type RedisLimitOptions = Pick<RateLimitOptions, 'monotonicMs' | 'onFallback'> & { readonly redisKeyPrefix: string };

const HOUR_MS = 3_600_000;

/**
 * Creates the plans' hourly request limit. API and dashboard requests by the same account or feed token count together.
 */
export function requestLimit(redis: Redis, { redisKeyPrefix, ...options }: RedisLimitOptions): RateLimit {
  const limits = Object.values(PLANS).map(({ apiRequestsPerHour }) => apiRequestsPerHour);
  const shared = redisCounter(redis, `${redisKeyPrefix}:requests`, HOUR_MS, limits);
  return new RateLimit({ shared, windowMs: HOUR_MS, ...options });
}

const MINUTE_MS = 60_000;

/**
 * Maximum requests per minute to each destination. The requests are limited because they go to someone else's server.
 */
export const DESTINATION_LIMITS = { test: 10, resend: 60 } as const;

export type DestinationLimits = ReturnType<typeof destinationLimits>;

export function destinationLimits(redis: Redis, { redisKeyPrefix, ...options }: RedisLimitOptions) {
  const shared = redisCounter(redis, `${redisKeyPrefix}:sends`, MINUTE_MS, Object.values(DESTINATION_LIMITS));
  const rateLimit = new RateLimit({ shared, windowMs: MINUTE_MS, ...options });
  return {
    /** @throws ApiError `rate_limited` */
    async count(what: keyof typeof DESTINATION_LIMITS, destinationId: DestinationId): Promise<void> {
      const limit = DESTINATION_LIMITS[what];
      const { admitted, resetsInMs } = await rateLimit.count(`${what}:${destinationId}`, limit);
      if (admitted) return;
      const seconds = String(secondsToWait(resetsInMs));
      const noun = what === 'test' ? 'tests' : 'resends';
      throw new ApiError('rate_limited', `Limit reached: ${limit} ${noun} a minute. Try again in ${seconds} s.`, {
        headers: { 'Retry-After': seconds },
      });
    },
  };
}
