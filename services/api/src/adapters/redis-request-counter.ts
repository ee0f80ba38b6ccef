import { PLANS } from '@artist-watch/domain/account/plans';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedCounter, WindowCount } from '../application/access/ports.js';

/**
 * Counts a request unless the limit is reached. The window is the life of the key: one from the first request on.
 *
 * KEYS[1]  the counter of one account
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

/** Limiters by their limit; they differ in nothing else and share the counters, so a new plan goes on with the count. */
export function redisRequestCounter(redis: Redis, keyPrefix: string, windowSeconds: number): SharedCounter {
  const limiters = new Map(
    Object.values(PLANS).map(({ apiRequestsPerHour }) => [
      apiRequestsPerHour,
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `${keyPrefix}:requests`,
        points: apiRequestsPerHour,
        duration: windowSeconds,
        customIncrTtlLuaScript: COUNT_UNLESS_FULL,
      }),
    ]),
  );
  return {
    async count(accountId, limit) {
      const limiter = limiters.get(limit);
      if (!limiter) throw new Error(`No plan allows ${limit} requests.`);
      try {
        return toCount(await limiter.consume(accountId), true);
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
