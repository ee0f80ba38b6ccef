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

/** At these numbers of failures in a row the account is warned, where they are below the threshold. */
export const WARN_AT: readonly number[] = [10, 15];

interface Notice {
  readonly kind: string;
  readonly consecutiveFailures: number;
}

/**
 * The warnings of the present run of failures, newest first. Within a run each notice has a higher count than the one
 * before it, so a count that is not lower than that of the newer notice belongs to a run that has ended.
 *
 * @param notices newest first, of whatever kind.
 */
export function presentWarnings<Given extends Notice>(
  notices: readonly Given[],
  consecutiveFailures: number,
): (Given & { readonly kind: 'warning' | 'switched_off' })[] {
  const present: (Given & { readonly kind: 'warning' | 'switched_off' })[] = [];
  let highest = consecutiveFailures;
  for (const notice of notices) {
    if (notice.kind === 'enabled') break;
    if (!isOfFailures(notice)) continue;
    if (notice.consecutiveFailures > highest) break;
    present.push(notice);
    highest = notice.consecutiveFailures - 1;
  }
  return present;
}

function isOfFailures<Given extends Notice>(
  notice: Given,
): notice is Given & { readonly kind: 'warning' | 'switched_off' } {
  return notice.kind === 'warning' || notice.kind === 'switched_off';
}
