import type { AccountId, ChangeId } from '@artist-watch/domain/ids';

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
  readJson(accountId: AccountId, now: Date): Promise<string>;
}

export interface UsageReport {
  /** `withoutArtist`: the watches of what has been no artist of the platform for an hour. */
  read(
    accountId: AccountId,
    now: Date,
  ): Promise<{
    readonly watches: number;
    readonly withoutArtist: number;
    readonly seats: number;
    readonly pausedDestinations: number;
  }>;
}
