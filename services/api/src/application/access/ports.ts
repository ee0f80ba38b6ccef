import type { Identity } from './identity.js';

/** Where keys are looked up. Rejects when it cannot tell. */
export interface KeyDirectory {
  findHolder(secretSha256: Uint8Array): Promise<Identity | undefined>;
}

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
