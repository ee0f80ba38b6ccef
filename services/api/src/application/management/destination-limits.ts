import { ApiError } from '@artist-watch/contracts/api/api-error';
import type { DestinationId } from '@artist-watch/domain/ids';
import { type RateLimit, secondsToWait } from '../access/rate-limit.js';

export const LIMITS_WINDOW_MS = 60_000;

/** How often a destination may be sent to by hand within the window: each is a request to somebody's server. */
export const DESTINATION_LIMITS = { test: 10, resend: 60 } as const;

export interface DestinationLimits {
  /**
   * Counts one request for a destination of the caller's own.
   *
   * @throws ApiError `rate_limited`
   */
  count(what: keyof typeof DESTINATION_LIMITS, destinationId: DestinationId): Promise<void>;
}

export function destinationLimits(rateLimit: RateLimit): DestinationLimits {
  return {
    async count(what, destinationId) {
      const limit = DESTINATION_LIMITS[what];
      const { admitted, resetsInMs } = await rateLimit.count(`${what}:${destinationId}`, limit);
      if (admitted) return;
      throw new ApiError('rate_limited', `A destination takes ${limit} requests to ${what} a minute.`, {
        headers: { 'Retry-After': String(secondsToWait(resetsInMs)) },
      });
    },
  };
}
