import type { Observation } from '@artist-watch/domain/catalogue';
import type { DirectAnswer } from '@artist-watch/domain/detection/direct-reads';
import type { AccountId } from '@artist-watch/domain/ids';

/**
 * `deepReleaseIds`: releases to request individually. `fullReleaseIds`: releases to request together with each of their
 * tracks. All other releases are read only from the artist's list.
 */
export type PollDepth =
  | 'shallow'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds: readonly string[] };

/** Options for all platform requests of one poll. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  /**
   * The priority in the platform's request budget. `due` requests go first, `close` requests get a share, and `spare`
   * requests get the rest and fail if nothing is left.
   */
  readonly urgency: 'due' | 'close' | 'spare';
  /** The account whose share of the budget is used. */
  readonly account?: AccountId | undefined;
}

/**
 * A streaming platform. If the platform fails, an observation is `incomplete` and the result of a direct read is
 * `unknown`.
 */
export interface WatchedPlatform {
  /** True if the artist's list of releases includes the markets of each release. */
  readonly listsMarkets: boolean;
  readArtist(platformId: string, options: RequestOptions & { readonly depth: PollDepth }): Promise<Observation>;
  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    options: RequestOptions & { readonly artistPlatformId: string },
  ): Promise<DirectAnswer>;
}

/** A pause of all requests, required by the platform or by our request budget. */
export interface PlatformPause {
  /** Returns the milliseconds until the next request is allowed, or 0 if it is allowed now. */
  remainingMs(): Promise<number>;
}
