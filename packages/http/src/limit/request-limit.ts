import { PLANS } from '@artist-watch/domain/account/plans';
import type { Redis } from 'ioredis';
import { RateLimit, type RateLimitOptions } from './rate-limit.js';
import { redisRequestCounter } from './redis-request-counter.js';

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
