import { ApiError } from '@artist-watch/contracts/api/errors';
import type { DestinationId } from '@artist-watch/domain/ids';
import type { Redis } from 'ioredis';
import { RateLimit, secondsToWait } from './rate-limit.js';
import { redisRequestCounter } from './redis-request-counter.js';

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
