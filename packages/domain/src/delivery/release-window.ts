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

const MINUTE_MS = 60_000;

/** The pauses never get shorter. By default, they are 1 s, 5 s, 30 s, 2 min, 10 min and 30 min. */
export function pausesMs(retryDelaysMs: readonly number[]): number[] {
  const fractions = [60, 60, 60, 60, 36, 12];
  const last = retryDelaysMs.length - 1;
  return fractions.map((fraction, index) =>
    Math.max(1, Math.round((retryDelaysMs[Math.min(index, last)] ?? MINUTE_MS) / fraction)),
  );
}
