import { ApiError } from '@artist-watch/contracts/api/errors';
import type { DestinationId } from '@artist-watch/domain/ids';
import type { Redis } from 'ioredis';
import { RateLimit, secondsToWait } from './rate-limit.js';
import { redisRequestCounter } from './redis-request-counter.js';

const WINDOW_MS = 60_000;

/** How often a destination may be sent to by hand within the window: each is a request to somebody's server. */
export const DESTINATION_LIMITS = { test: 10, resend: 60 } as const;

export type DestinationLimits = ReturnType<typeof destinationLimits>;

/** One count for all replicas of all services through which a destination is sent to by hand. */
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
     * Counts one request for a destination of the caller's own.
     *
     * @throws ApiError `rate_limited`
     */
    async count(what: keyof typeof DESTINATION_LIMITS, destinationId: DestinationId): Promise<void> {
      const limit = DESTINATION_LIMITS[what];
      const { admitted, resetsInMs } = await rateLimit.count(`${what}:${destinationId}`, limit);
      if (admitted) return;
      throw new ApiError('rate_limited', `A destination takes ${limit} requests to ${what} a minute.`, {
        headers: { 'Retry-After': String(secondsToWait(resetsInMs)) },
      });
    },
  };
}
