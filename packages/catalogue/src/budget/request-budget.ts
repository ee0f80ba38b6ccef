/**
 * The right to send requests to a platform. Every platform has one budget, kept across replicas where there are several
 * (docs/reference/detection.md); whatever keeps it, the clients see this.
 */
export interface RequestBudget {
  /**
   * Resolves when `requests` requests may be sent. Rejects with the signal's reason when it is aborted, or with a
   * PlatformError of kind `quota` when the wait would be longer than the budget lets a caller wait.
   *
   * @param urgency `due` unless given.
   */
  take(requests: number, signal: AbortSignal, urgency?: RequestUrgency): Promise<void>;
  /** The platform refused: nothing is granted for so long. A shorter penalty never cuts a longer one. */
  penalise(retryAfterMs: number): Promise<void>;
}

export interface BudgetRules {
  /** The platform's limit: so many requests … */
  readonly limit: number;
  /** … in any span of this length, in milliseconds. */
  readonly windowMs: number;
  /** How many of them may leave at once; the others follow evenly. */
  readonly burst: number;
}

/**
 * Deezer says that it allows 50 requests in 5 s for each address, and refused about the 37th of a burst of 70 different
 * ones. Two are left aside: requests that leave 5 s apart may arrive less than that apart.
 */
export const DEEZER_BUDGET: BudgetRules = { limit: 34, windowMs: 5_000, burst: 6 };

/**
 * Spotify counts over 30 s and does not publish its limit; this is what apps in development mode are known to get. The
 * `Retry-After` of its 429 is 1 to 5 s, which PlatformHttp waits out.
 */
export const SPOTIFY_BUDGET: BudgetRules = { limit: 90, windowMs: 30_000, burst: 10 };

/**
 * What the requests of a reading wait behind, where several replicas and readings share a budget: `due` ones (lists,
 * confirmations, look-ups) go first; `close` ones (what a crowd of new artists asks for) get every fourth turn at least; `spare` ones
 * get what both leave over, and are refused when that is nothing.
 */
export type RequestUrgency = 'due' | 'close' | 'spare';
