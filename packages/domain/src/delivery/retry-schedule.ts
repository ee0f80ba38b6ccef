/**
 * Limits how many first attempts can be in flight per destination, across all workers (docs/api/webhooks.md,
 * docs/adr/0043).
 */
export const RELEASE_WINDOW = {
  /** A new delivery is released immediately while fewer than two are in flight. */
  start: 2,
  perSuccess: 2,
  most: 8,
} as const;

/**
 * Divides the retry delays. By default, the pauses are 1m/60 = 1 s, 5m/60 = 5 s, 30m/60 = 30 s, 2h/60 = 2 min,
 * 6h/36 = 10 min and 6h/12 = 30 min.
 */
export function pausesMs(retryDelaysMs: readonly number[]): number[] {
  const divisors = [60, 60, 60, 60, 36, 12];
  const last = retryDelaysMs.length - 1;
  return divisors.map((divisor, index) =>
    Math.max(1, Math.round((retryDelaysMs[Math.min(index, last)] ?? MINUTE_MS) / divisor)),
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Measured from the end of each failed attempt (docs/api/webhooks.md). */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
];

/**
 * Returns null if no attempts are left.
 * @param attemptsInRound includes the failed attempt
 * @throws {RangeError} if `attemptsInRound` is not a positive integer
 */
export function retryDelayMs(attemptsInRound: number, delaysMs: readonly number[]): number | null {
  if (!Number.isSafeInteger(attemptsInRound) || attemptsInRound < 1) {
    throw new RangeError(`attemptsInRound must be 1 or more, not ${attemptsInRound}`);
  }
  return delaysMs[attemptsInRound - 1] ?? null;
}

/** Send a warning after this many consecutive failures, if that is below the switch-off threshold. */
export const WARN_AT: readonly number[] = [10, 15];

interface Notice {
  readonly kind: string;
  readonly consecutiveFailures: number;
}

/**
 * Returns the warnings from the current run of failures. The failure count never drops within a run.
 * @param notices all kinds, newest first
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
