import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedCounter, WindowCount } from './rate-limit.js';

/**
 * Counts a request unless the limit is reached. The window is the life of the key: one from the first request on.
 *
 * KEYS[1]  the counter of one account or destination
 * ARGV[1]  points to count: 1
 * ARGV[2]  seconds of a window
 * ARGV[3]  the limit
 * Returns  { what is counted now, or the limit + 1 when it was reached before; milliseconds to the end of the window }
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
  /** In front of the names that are counted. */
  readonly keyPrefix: string;
  readonly windowSeconds: number;
  /** The limits that are asked for. */
  readonly limits: readonly number[];
}

/** Limiters by their limit; they differ in nothing else and share the counters, so a new plan goes on with the count. */
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
      if (!limiter) throw new Error(`${limit} is none of the limits of ${keyPrefix}.`);
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
