import { ApiError } from '@artist-watch/contracts/api/errors';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { DestinationId } from '@artist-watch/domain/ids';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimit, type RateLimitOptions, type SharedCounter, secondsToWait, type WindowCount } from './rate-limit.js';

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

export interface RequestCounterOptions {
  readonly keyPrefix: string;
  readonly windowSeconds: number;
  readonly limits: readonly number[];
}

/** Creates one limiter per limit. The limiters share their counters, so changing plans does not reset the count. */
export function redisRequestCounter(
  redis: Redis,
  { keyPrefix, windowSeconds, limits }: RequestCounterOptions,
): SharedCounter {
  const limiters = new Map(
    limits.map((points) => [
      points,
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix,
        points,
        duration: windowSeconds,
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

const HOUR_MS = 3_600_000;

/**
 * Creates the plans' hourly request limit. API and dashboard requests by the same account or feed token count together.
 */
export function requestLimit(
  redis: Redis,
  {
    redisKeyPrefix,
    ...options
  }: { readonly redisKeyPrefix: string } & Pick<RateLimitOptions, 'monotonicMs' | 'onFallback'>,
): RateLimit {
  return new RateLimit({
    shared: redisRequestCounter(redis, {
      keyPrefix: `${redisKeyPrefix}:requests`,
      windowSeconds: HOUR_MS / 1_000,
      limits: Object.values(PLANS).map(({ apiRequestsPerHour }) => apiRequestsPerHour),
    }),
    windowMs: HOUR_MS,
    ...options,
  });
}

const WINDOW_MS = 60_000;

/**
 * Maximum requests per minute to each destination. The requests are limited because they go to someone else's server.
 */
export const DESTINATION_LIMITS = { test: 10, resend: 60 } as const;

export type DestinationLimits = ReturnType<typeof destinationLimits>;

export function destinationLimits(
  redis: Redis,
  {
    redisKeyPrefix,
    ...options
  }: {
    readonly redisKeyPrefix: string;
    readonly monotonicMs: () => number;
    readonly onFallback: (reason: unknown) => void;
  },
) {
  const rateLimit = new RateLimit({
    shared: redisRequestCounter(redis, {
      keyPrefix: `${redisKeyPrefix}:sends`,
      windowSeconds: WINDOW_MS / 1_000,
      limits: Object.values(DESTINATION_LIMITS),
    }),
    windowMs: WINDOW_MS,
    ...options,
  });
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
