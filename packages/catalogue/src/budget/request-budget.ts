/**
 * Limits requests to a platform. Each platform has one budget, shared by all replicas (docs/reference/detection.md).
 */
export interface RequestBudget {
  /**
   * Resolves when `requests` requests may be sent.
   *
   * @param urgency Default: `due`.
   * @param account The account that is charged. Within an urgency, accounts share the budget by requests.
   * @throws the signal's reason when it is aborted; PlatformError of kind `quota` if the wait exceeds the budget's
   * limit.
   */
  take(requests: number, signal: AbortSignal, urgency?: RequestUrgency, account?: string): Promise<void>;
  /** Grants nothing for this time, because the platform rejected a request. Never shortens an earlier penalty. */
  penalise(retryAfterMs: number): Promise<void>;
}

export interface BudgetRules {
  /** Requests that the platform allows per `windowMs`. */
  readonly limit: number;
  /** Length of the period, in milliseconds. The limit applies to any such period. */
  readonly windowMs: number;
  /** Requests that may be sent at once. The rest follow at an even rate. */
  readonly burst: number;
}

/**
 * Deezer documents 50 requests in 5 s per IP address, but rejected about the 37th request of a burst of 70 different
 * ones. Two of the other 36 are left unused, because requests that leave 5 s apart may arrive closer together.
 */
export const DEEZER_BUDGET: BudgetRules = { limit: 34, windowMs: 5_000, burst: 6 };

/**
 * Spotify counts over 30 s and does not publish its limit. This is the known limit of apps in development mode. Their
 * 429 has a `Retry-After` of 1 to 5 s, which PlatformHttp waits out.
 */
export const SPOTIFY_BUDGET: BudgetRules = { limit: 90, windowMs: 30_000, burst: 10 };

/**
 * The priority of a request. `due` (lists, confirmations, lookups) goes first. `close` (detailed reads of many new
 * artists) gets at least every fourth grant. `spare` gets the rest, and is rejected if there is none.
 */
export type RequestUrgency = 'due' | 'close' | 'spare';
