import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';

/** Before each further try, in milliseconds. */
const DELAYS_MS = [100, 400, 1_500] as const;

/** No try begins later: the caller waits for his answer. */
const LATEST_TRY_MS = 3_000;

/**
 * The same allowance, which tries a refund again for a moment: PostgreSQL may have lost a connection, or be failing over.
 * A try that succeeded without an answer gives one call too many back, never one too few.
 */
export function retryingRefunds(
  inner: DailyAllowance,
  { pause, monotonicMs }: { pause(ms: number): Promise<unknown>; monotonicMs(): number },
): DailyAllowance {
  return {
    ...inner,
    async refund(accountId, day) {
      const latestMs = monotonicMs() + LATEST_TRY_MS;
      for (const delayMs of DELAYS_MS) {
        try {
          return await inner.refund(accountId, day);
        } catch (error) {
          if (monotonicMs() + delayMs > latestMs) throw error;
        }
        await pause(delayMs);
      }
      return inner.refund(accountId, day);
    },
  };
}
