/**
 * Limits how many first attempts of one destination are in flight, over all workers. An attempt is in flight from its
 * release until it is settled (docs/reference/webhooks.md, docs/adr/0043).
 */
export const RELEASE_WINDOW = {
  /** A new delivery is released at once if fewer deliveries than this are in flight. */
  start: 2,
  /** The number of deliveries that a success can release. */
  perSuccess: 2,
  most: 8,
} as const;

const MINUTE_MS = 60_000;

/**
 * Returns the pauses of a failing destination in milliseconds. They never get shorter: with the default retry delays
 * they are 1 s, 5 s, 30 s, 2 min, 10 min and 30 min. They are fractions of the retry delays, so shorter delays give
 * shorter pauses.
 */
export function pausesMs(retryDelaysMs: readonly number[]): number[] {
  const fractions = [60, 60, 60, 60, 36, 12];
  const last = retryDelaysMs.length - 1;
  return fractions.map((fraction, index) =>
    Math.max(1, Math.round((retryDelaysMs[Math.min(index, last)] ?? MINUTE_MS) / fraction)),
  );
}
