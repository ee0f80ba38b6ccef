/** All replicas share one budget per platform (docs/reference/detection.md). */
export interface RequestBudget {
  /**
   * Resolves when the requests may be sent.
   * @param account the budget is divided fairly between accounts
   * @throws the signal's reason when aborted; PlatformError of kind `quota` if the wait is too long
   */
  take(requests: number, signal: AbortSignal, urgency?: RequestUrgency, account?: string): Promise<void>;
  /** Pauses all requests, but never shortens an earlier pause. */
  penalise(retryAfterMs: number): Promise<void>;
}

export interface BudgetRules {
  readonly limit: number;
  /** The limit applies to every window of this length, whenever the window starts. */
  readonly windowMs: number;
  /** Maximum number of requests in one burst. Requests after the burst are sent at an even rate. */
  readonly burst: number;
}

/**
 * Deezer documents 50 requests per IP address in 5 s, but in a test it started to reject them at about the 37th. Our
 * limit is a little lower, because requests do not arrive evenly.
 */
export const DEEZER_BUDGET: BudgetRules = { limit: 34, windowMs: 5_000, burst: 6 };

/** Spotify does not publish its limit. This is the one we observed for apps in development mode. */
export const SPOTIFY_BUDGET: BudgetRules = { limit: 90, windowMs: 30_000, burst: 10 };

/** `close` requests read details of new artists. `spare` requests fail if no budget remains. */
export type RequestUrgency = 'due' | 'close' | 'spare';
