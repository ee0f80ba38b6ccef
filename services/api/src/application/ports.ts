import type { AccountId, ApiKeyId, ChangeId } from '@artist-watch/domain/ids';
import type { PlanName } from '@artist-watch/domain/plans';

/** Whose request it is. */
export interface Identity {
  readonly keyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
}

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
  count(accountId: AccountId, limit: number): Promise<WindowCount>;
}

/** A place in a feed: what follows is older than this change. */
export interface FeedPosition {
  readonly confirmedAt: Date;
  readonly changeId: ChangeId;
}

export interface ChangeFeed {
  readPage(request: {
    readonly accountId: AccountId;
    /** Inclusive. */
    readonly since: Date;
    /** The last change of the page before; undefined for the newest. */
    readonly after: FeedPosition | undefined;
    readonly limit: number;
  }): Promise<{
    /** A JSON array, ready to be sent. */
    readonly itemsJson: string;
    /** The last change of this page when others follow it. */
    readonly next: FeedPosition | undefined;
  }>;
}

export interface ArtistList {
  /** A JSON array, ready to be sent. */
  readJson(accountId: AccountId): Promise<string>;
}

export interface UsageReport {
  read(accountId: AccountId): Promise<{ readonly artists: number; readonly seats: number }>;
}
