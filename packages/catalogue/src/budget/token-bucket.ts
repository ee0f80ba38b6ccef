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
 * @returns the bucket that is left, or how long to wait until there would be enough.
 */
export function takeTokens(
  rules: BudgetRules,
  bucket: TokenBucket,
  tokens: number,
  nowMs: number,
): { readonly granted: TokenBucket } | { readonly waitMs: number } {
  const perMs = fillRate(rules);
  // During a penalty the bucket is filled as of its end, which lies ahead.
  const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const available = Math.min(rules.burst, bucket.tokens + passedMs * perMs);
  if (nowMs >= bucket.filledAtMs && available >= tokens) {
    return { granted: { tokens: available - tokens, filledAtMs: nowMs } };
  }
  const untilFilling = Math.max(0, bucket.filledAtMs - nowMs);
  return { waitMs: untilFilling + Math.max(0, Math.ceil((tokens - available) / perMs)) };
}

/** Empty until the penalty ends, so that no burst follows it; it fills from then on. */
export function penalisedBucket(bucket: TokenBucket, retryAfterMs: number, nowMs: number): TokenBucket {
  const untilMs = nowMs + retryAfterMs;
  return untilMs > bucket.filledAtMs ? { tokens: 0, filledAtMs: untilMs } : { ...bucket, tokens: 0 };
}

function fillRate({ limit, burst, windowMs }: BudgetRules): number {
  if (burst < 1 || burst >= limit) throw new RangeError(`A burst of ${burst} does not fit into a limit of ${limit}.`);
  return (limit - burst) / windowMs;
}
