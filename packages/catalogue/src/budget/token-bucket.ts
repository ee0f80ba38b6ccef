import type { BudgetRules } from './request-budget.js';

/** Times are in milliseconds on a monotonic clock. */
export interface TokenBucket {
  readonly tokens: number;
  readonly filledAtMs: number;
}

export function fullBucket(rules: BudgetRules, nowMs: number): TokenBucket {
  return { tokens: rules.burst, filledAtMs: nowMs };
}

/**
 * Grants at most `limit` tokens in any window, because the bucket refills at (limit - burst) per window.
 * @param reserve tokens that must stay in the bucket
 * @returns the new bucket, or the milliseconds until there are enough tokens
 */
export function takeTokens(
  rules: BudgetRules,
  bucket: TokenBucket,
  tokens: number,
  nowMs: number,
  reserve = 0,
): { readonly granted: TokenBucket } | { readonly waitMs: number } {
  const perMs = fillRate(rules);
  // During a penalty, `filledAtMs` is when the penalty ends.
  const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const available = Math.min(rules.burst, bucket.tokens + passedMs * perMs);
  if (nowMs >= bucket.filledAtMs && available >= tokens + reserve) {
    return { granted: { tokens: available - tokens, filledAtMs: nowMs } };
  }
  const untilFilling = Math.max(0, bucket.filledAtMs - nowMs);
  return { waitMs: untilFilling + Math.max(0, Math.ceil((tokens + reserve - available) / perMs)) };
}

/** Empties the bucket, so that no burst follows the penalty. */
export function penalisedBucket(bucket: TokenBucket, retryAfterMs: number, nowMs: number): TokenBucket {
  const untilMs = nowMs + retryAfterMs;
  return untilMs > bucket.filledAtMs ? { tokens: 0, filledAtMs: untilMs } : { ...bucket, tokens: 0 };
}

/** Returns tokens per millisecond. @throws RangeError if the burst is not below the limit */
export function fillRate({ limit, burst, windowMs }: BudgetRules): number {
  if (burst < 1 || burst >= limit)
    throw new RangeError(`A burst must be at least 1 and below the limit of ${limit}, not ${burst}.`);
  return (limit - burst) / windowMs;
}

export interface BucketStore {
  /**
   * @param wanted the tokens that each caller wants, in order
   * @returns how many callers got their tokens, and how many milliseconds the next caller must wait
   */
  take(wanted: readonly number[], reserve: number): Promise<{ readonly granted: number; readonly waitMs: number }>;
  /** Returns the milliseconds until the penalty ends, including any earlier penalty. */
  penalise(retryAfterMs: number): Promise<number>;
}

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
