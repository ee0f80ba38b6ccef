import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedCounter, WindowCount } from './rate-limit.js';

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
