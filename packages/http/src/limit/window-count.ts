/** One request counted in a window that began with the first one. */
export interface WindowCount {
  /** False when the limit was reached before; such a request is not counted. */
  readonly admitted: boolean;
  /** How many more this window admits. */
  readonly remaining: number;
  /** Until the window is over. */
  readonly resetsInMs: number;
}

/** Counts in one place for all replicas. Rejects when that place is away. */
export interface SharedCounter {
  /** @param name what is counted: an account, or a destination. */
  count(name: string, limit: number): Promise<WindowCount>;
}

/** Whole seconds after which the window is over for certain: it still holds within its last millisecond. */
export function secondsToWait(resetsInMs: number): number {
  return Math.ceil((resetsInMs + 1) / 1000);
}
