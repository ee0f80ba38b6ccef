import type { BudgetRules } from './request-budget.js';

/** Immutable; instants are milliseconds of any clock that never runs back. */
export interface TokenBucket {
  readonly tokens: number;
  readonly filledAtMs: number;
}

export function fullBucket(rules: BudgetRules, nowMs: number): TokenBucket {
  return { tokens: rules.burst, filledAtMs: nowMs };
}

/**
 * Takes tokens. A bucket of `burst` that fills with (limit - burst) in each window grants at most `limit` in any span
 * of that length: what was saved up before it, and what comes in during it.
 *
 * @param reserve tokens that must be left in the bucket.
 * @returns the bucket that is left, or how long to wait until there would be enough.
 */
export function takeTokens(
  rules: BudgetRules,
  bucket: TokenBucket,
  tokens: number,
  nowMs: number,
  reserve = 0,
): { readonly granted: TokenBucket } | { readonly waitMs: number } {
  const perMs = fillRate(rules);
  // During a penalty the bucket is filled as of its end, which lies ahead.
  const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const available = Math.min(rules.burst, bucket.tokens + passedMs * perMs);
  if (nowMs >= bucket.filledAtMs && available >= tokens + reserve) {
    return { granted: { tokens: available - tokens, filledAtMs: nowMs } };
  }
  const untilFilling = Math.max(0, bucket.filledAtMs - nowMs);
  return { waitMs: untilFilling + Math.max(0, Math.ceil((tokens + reserve - available) / perMs)) };
}

/** Empty until the penalty ends, so that no burst follows it; it fills from then on. */
export function penalisedBucket(bucket: TokenBucket, retryAfterMs: number, nowMs: number): TokenBucket {
  const untilMs = nowMs + retryAfterMs;
  return untilMs > bucket.filledAtMs ? { tokens: 0, filledAtMs: untilMs } : { ...bucket, tokens: 0 };
}

/** Tokens a millisecond. @throws RangeError for a burst that does not fit into the limit. */
export function fillRate({ limit, burst, windowMs }: BudgetRules): number {
  if (burst < 1 || burst >= limit) throw new RangeError(`A burst of ${burst} does not fit into a limit of ${limit}.`);
  return (limit - burst) / windowMs;
}

/** Where a bucket is kept. */
export interface BucketStore {
  /**
   * Takes for callers, first come first served, and leaves `reserve` tokens in the bucket.
   *
   * @param wanted how many tokens each of the callers wants.
   * @returns how many of the callers are granted theirs, and in how many milliseconds the next one would be (0: all are).
   */
  take(wanted: readonly number[], reserve: number): Promise<{ readonly granted: number; readonly waitMs: number }>;
  /** @returns in how many milliseconds something is granted: never less than an earlier penalty says. */
  penalise(retryAfterMs: number): Promise<number>;
}

/** The bucket of a single process. */
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
