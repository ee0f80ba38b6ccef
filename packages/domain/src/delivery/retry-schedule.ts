/** Decides when a failed delivery is retried (docs/reference/webhooks.md). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The delays of five retries: 1 min, 5 min, 30 min, 2 h and 6 h. So a round has six attempts. */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
];

/**
 * Returns the delay between the end of a failed attempt and the next attempt. Null if no attempts are left, which means
 * that the delivery has failed.
 *
 * @param attemptsInRound attempts in this round, including the failed one
 * @throws {RangeError} if `attemptsInRound` is not a positive integer, which is a bug in the caller
 */
export function retryDelayMs(attemptsInRound: number, delaysMs: readonly number[]): number | null {
  if (!Number.isSafeInteger(attemptsInRound) || attemptsInRound < 1) {
    throw new RangeError(`attemptsInRound must be 1 or more, not ${attemptsInRound}`);
  }
  return delaysMs[attemptsInRound - 1] ?? null;
}

/**
 * We warn the account after each of these numbers of failures in a row. Values at or above the switch-off threshold
 * have no effect.
 */
export const WARN_AT: readonly number[] = [10, 15];

interface Notice {
  readonly kind: string;
  readonly consecutiveFailures: number;
}

/**
 * Returns the warnings and switch-offs of the current run of failures, newest first. Failure counts rise during a run.
 * Going back in time, the run therefore ends at the first notification whose count is not lower than that of the newer
 * one. It also ends at an `enabled` notification.
 *
 * @param notices notifications of any kind, newest first
 */
export function currentWarnings<Given extends Notice>(
  notices: readonly Given[],
  consecutiveFailures: number,
): (Given & { readonly kind: 'warning' | 'switched_off' })[] {
  const present: (Given & { readonly kind: 'warning' | 'switched_off' })[] = [];
  let highest = consecutiveFailures;
  for (const notice of notices) {
    if (notice.kind === 'enabled') break;
    if (!isFailureNotice(notice)) continue;
    if (notice.consecutiveFailures > highest) break;
    present.push(notice);
    highest = notice.consecutiveFailures - 1;
  }
  return present;
}

function isFailureNotice<Given extends Notice>(
  notice: Given,
): notice is Given & { readonly kind: 'warning' | 'switched_off' } {
  return notice.kind === 'warning' || notice.kind === 'switched_off';
}
