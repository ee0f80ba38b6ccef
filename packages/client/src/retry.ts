import { ArtistWatchError } from './error.js';

export interface RetryRules {
  /** Requests after the first one; 3 unless given, 0 for none. */
  readonly maxRetries: number;
  /** A longer pause than this is not waited for, and the error thrown; a minute unless given. */
  readonly maxWaitMs: number;
}

const FIRST_PAUSE_MS = 250;

/**
 * How long to wait before a failed request is sent again; undefined when it should not be.
 *
 * @param isSafe whether doing it twice is the same as doing it once: the first one may have been done.
 * @param attempt 0 after the first request.
 */
export function pauseBeforeRetry(
  failure: unknown,
  { isSafe, attempt, rules }: { readonly isSafe: boolean; readonly attempt: number; readonly rules: RetryRules },
): number | undefined {
  if (attempt >= rules.maxRetries) return undefined;
  const pauseMs = pauseFor(failure, isSafe);
  if (pauseMs === undefined) return undefined;
  const waitMs = Math.max(pauseMs, FIRST_PAUSE_MS * 2 ** attempt);
  return waitMs <= rules.maxWaitMs ? waitMs : undefined;
}

function pauseFor(failure: unknown, isSafe: boolean): number | undefined {
  if (!(failure instanceof ArtistWatchError)) return isSafe ? 0 : undefined;
  const { status, code, retryAfterMs = 0 } = failure;
  // Refused before anything was done.
  if (status === 429 || code === 'idempotency_conflict') return failure.retryAfterMs;
  return isSafe && (status === 502 || status === 503 || status === 504) ? retryAfterMs : undefined;
}
