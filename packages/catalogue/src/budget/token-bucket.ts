import type { BudgetRules } from './request-budget.js';

/** Immutable. Times are milliseconds of a monotonic clock. */
export interface TokenBucket {
  readonly tokens: number;
  readonly filledAtMs: number;
}

export function fullBucket(rules: BudgetRules, nowMs: number): TokenBucket {
  return { tokens: rules.burst, filledAtMs: nowMs };
}

/**
 * Takes tokens. A bucket of `burst` tokens that fills with (limit - burst) per window grants at most `limit` in any
 * window.
 *
 * @param reserve tokens to leave in the bucket.
 * @returns the new bucket, or the wait until there are enough tokens.
 */
export function takeTokens(
  rules: BudgetRules,
  bucket: TokenBucket,
  tokens: number,
  nowMs: number,
  reserve = 0,
): { readonly granted: TokenBucket } | { readonly waitMs: number } {
  const perMs = fillRate(rules);
  // During a penalty, `filledAtMs` is its end, in the future.
  const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const available = Math.min(rules.burst, bucket.tokens + passedMs * perMs);
  if (nowMs >= bucket.filledAtMs && available >= tokens + reserve) {
    return { granted: { tokens: available - tokens, filledAtMs: nowMs } };
  }
  const untilFilling = Math.max(0, bucket.filledAtMs - nowMs);
  return { waitMs: untilFilling + Math.max(0, Math.ceil((tokens + reserve - available) / perMs)) };
}

/** Empties the bucket until the penalty ends, so that no burst follows it. */
export function penalisedBucket(bucket: TokenBucket, retryAfterMs: number, nowMs: number): TokenBucket {
  const untilMs = nowMs + retryAfterMs;
  return untilMs > bucket.filledAtMs ? { tokens: 0, filledAtMs: untilMs } : { ...bucket, tokens: 0 };
}

/** Tokens per millisecond. @throws RangeError if the burst is not below the limit. */
export function fillRate({ limit, burst, windowMs }: BudgetRules): number {
  if (burst < 1 || burst >= limit) throw new RangeError(`A burst of ${burst} does not fit into a limit of ${limit}.`);
  return (limit - burst) / windowMs;
}

/** Stores a bucket. */
export interface BucketStore {
  /**
   * Takes tokens for callers in order, and leaves `reserve` tokens in the bucket.
   *
   * @param wanted tokens that each caller wants.
   * @returns the number of callers that are granted their tokens, and the milliseconds until the next caller is (0: all
   *   are granted).
   */
  take(wanted: readonly number[], reserve: number): Promise<{ readonly granted: number; readonly waitMs: number }>;
  /** @returns milliseconds until something is granted, never less than an earlier penalty requires. */
  penalise(retryAfterMs: number): Promise<number>;
}

/** Returns a bucket for this process alone. */
export function processBucket(rules: BudgetRules): BucketStore {
  let bucket = fullBucket(rules, performance.now());
  return {
    async take(wanted, reserve) {
      for (const [granted, tokens] of wanted.entries()) {
        const outcome = takeTokens(rules, bucket, tokens, performance.now(), reserve);
        if ('waitMs' in outcome) return { granted, waitMs: outcome.waitMs };
        bucket = outcome.granted;
      }
      return { granted: wanted.length, waitMs: 0 };
    },
    async penalise(retryAfterMs) {
      const nowMs = performance.now();
      bucket = penalisedBucket(bucket, retryAfterMs, nowMs);
      return bucket.filledAtMs - nowMs;
    },
  };
}
