/**
 * Limits the requests to a platform. Each platform has one budget, which all replicas share
 * (docs/reference/detection.md).
 */
export interface RequestBudget {
  /**
   * Resolves when the given number of requests may be sent.
   *
   * @param urgency Default: `due`.
   * @param account The account that the requests are charged to. Requests of the same urgency are shared fairly between
   *   accounts.
   * @throws the signal's reason when it is aborted; PlatformError of kind `quota` if the wait exceeds the budget's
   *   limit.
   */
  take(requests: number, signal: AbortSignal, urgency?: RequestUrgency, account?: string): Promise<void>;
  /** Pauses all requests for this time, because the platform rejected one. Never shortens an earlier pause. */
  penalise(retryAfterMs: number): Promise<void>;
}

export interface BudgetRules {
  /** The number of requests that the platform allows per `windowMs`. */
  readonly limit: number;
  /** Length of the window in milliseconds. The limit applies to every window of this length, wherever it starts. */
  readonly windowMs: number;
  /** The number of requests that may be sent at once. Further requests follow at an even rate. */
  readonly burst: number;
}

/**
 * Deezer documents 50 requests in 5 s per IP address. In a test with a burst of 70 different requests, it rejected
 * about the 37th. Of the 36 requests before it, we leave two unused, because requests sent 5 s apart may arrive closer
 * together.
 */
export const DEEZER_BUDGET: BudgetRules = { limit: 34, windowMs: 5_000, burst: 6 };

/**
 * Spotify counts requests over 30 s and does not publish its limit. This is the observed limit of apps in development
 * mode. Spotify's 429 has a `Retry-After` of 1 to 5 s, and PlatformHttp waits that long before the retry.
 */
export const SPOTIFY_BUDGET: BudgetRules = { limit: 90, windowMs: 30_000, burst: 10 };

/**
 * The priority of a request. `due` requests (lists, confirmations, lookups) go first. `close` requests (detailed reads
 * of many new artists) get at least every fourth grant. `spare` requests get the remaining budget. If none remains,
 * they fail.
 */
export type RequestUrgency = 'due' | 'close' | 'spare';
