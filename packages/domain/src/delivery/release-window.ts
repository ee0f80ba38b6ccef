/**
 * Limits of the first attempts of one destination in flight: released and not settled, over all workers
 * (docs/reference/webhooks.md, docs/adr/0043).
 */
export const RELEASE_WINDOW = {
  /** The window of an idle destination. */
  start: 2,
  /** Deliveries that each success can release. */
  perSuccess: 2,
  most: 8,
} as const;

const MINUTE_MS = 60_000;

/**
 * The pauses of a failing destination, in milliseconds, none shorter than the previous one: 1 s, 5 s, 30 s, 2 min, 10
 * min and 30 min with the default retry delays. They are fractions of the delays, so that short delays have short
 * pauses.
 */
export function pausesMs(retryDelaysMs: readonly number[]): number[] {
  const fractions = [60, 60, 60, 60, 36, 12];
  const last = retryDelaysMs.length - 1;
  return fractions.map((fraction, index) =>
    Math.max(1, Math.round((retryDelaysMs[Math.min(index, last)] ?? MINUTE_MS) / fraction)),
  );
}
