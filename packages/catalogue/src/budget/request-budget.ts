/** One budget per platform, shared by all replicas (docs/reference/detection.md). */
export interface RequestBudget {
  /**
   * Resolves when the requests may be sent.
   * @param urgency default: `due`
   * @param account shares its urgency's budget fairly with other accounts
   * @throws the signal's reason when aborted; PlatformError of kind `quota` if the wait exceeds the limit
   */
  take(requests: number, signal: AbortSignal, urgency?: RequestUrgency, account?: string): Promise<void>;
  /** Pauses all requests after a rejection. Never shortens an earlier pause. */
  penalise(retryAfterMs: number): Promise<void>;
}

export interface BudgetRules {
  /** Requests that the platform allows per `windowMs`. */
  readonly limit: number;
  /** The limit applies to every window of this length, wherever it starts. */
  readonly windowMs: number;
  /** Requests that may be sent at once. Others follow at an even rate. */
  readonly burst: number;
}

/**
 * Deezer documents 50 requests in 5 s per IP address, but rejected about the 37th of 70. Two of the 36 are a margin for
 * requests that arrive closer together.
 */
export const DEEZER_BUDGET: BudgetRules = { limit: 34, windowMs: 5_000, burst: 6 };

/** Spotify publishes no limit for its 30 s window. Apps in development mode were observed to get this many. */
export const SPOTIFY_BUDGET: BudgetRules = { limit: 90, windowMs: 30_000, burst: 10 };

/**
 * `due`: lists, confirmations, lookups. `close`: detailed reads of many new artists, at least every fourth grant.
 * `spare`: fails if no budget remains.
 */
export type RequestUrgency = 'due' | 'close' | 'spare';
