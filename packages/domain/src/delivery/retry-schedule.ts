/** When a failed delivery is tried again (docs/reference/webhooks.md). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** 1 m, 5 m, 30 m, 2 h, 6 h: five retries, so six attempts a round. */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
];

/**
 * How long after the end of a failed attempt the next one follows, or null when the round is exhausted and the delivery
 * has failed.
 *
 * @param attemptsInRound attempts made in this round, the failed one included.
 * @throws {RangeError} when `attemptsInRound` is not a whole number from 1 on: the caller has lost count.
 */
export function retryDelayMs(attemptsInRound: number, delaysMs: readonly number[]): number | null {
  if (!Number.isSafeInteger(attemptsInRound) || attemptsInRound < 1) {
    throw new RangeError(`attemptsInRound must be 1 or more, not ${attemptsInRound}`);
  }
  return delaysMs[attemptsInRound - 1] ?? null;
}
