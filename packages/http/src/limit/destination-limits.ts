import { ApiError } from '@artist-watch/contracts/api/errors';
import type { DestinationId } from '@artist-watch/domain/ids';
import type { Redis } from 'ioredis';
import { RateLimit, secondsToWait } from './rate-limit.js';
import { redisRequestCounter } from './redis-request-counter.js';

const WINDOW_MS = 60_000;

/**
 * Maximum number of manual requests per destination and minute. Manual requests are limited, because each one goes to
 * someone else's server.
 */
export const DESTINATION_LIMITS = { test: 10, resend: 60 } as const;

export type DestinationLimits = ReturnType<typeof destinationLimits>;

/** Creates the limits on manual requests to destinations. All services and replicas share the counters. */
export function destinationLimits(
  redis: Redis,
  {
    redisKeyPrefix,
    ...options
  }: {
    /** REDIS_KEY_PREFIX */
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
    /**
     * Counts one request to a destination of the caller's account.
     *
     * @throws ApiError `rate_limited`
     */
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
