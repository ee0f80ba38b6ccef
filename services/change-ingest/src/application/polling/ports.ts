import type { Observation } from '@artist-watch/domain/catalogue';
import type { DirectAnswer } from '@artist-watch/domain/detection/direct-reads';
import type { AccountId } from '@artist-watch/domain/ids';

/**
 * Releases to request individually (`deepReleaseIds`), and releases to request with each of their tracks
 * (`fullReleaseIds`). All others are read from the artist's list of releases only.
 */
export type PollDepth =
  | 'shallow'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds: readonly string[] };

/** Options for all platform requests of one poll. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  /**
   * Priority in the platform's request budget. `due` goes first, `close` gets a share, `spare` gets the remainder and
   * is rejected if there is none.
   */
  readonly urgency: 'due' | 'close' | 'spare';
  /** Account whose share of the budget the requests use. */
  readonly account?: AccountId | undefined;
}

/** A streaming platform. On platform errors an observation is `incomplete` and a direct read `unknown`. */
export interface WatchedPlatform {
  /** True if the artist's list of releases includes the markets of each. */
  readonly listsMarkets: boolean;
  readArtist(platformId: string, options: RequestOptions & { readonly depth: PollDepth }): Promise<Observation>;
  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    options: RequestOptions & { readonly artistPlatformId: string },
  ): Promise<DirectAnswer>;
}

/** A pause of all requests, imposed by the platform or by our request budget. */
export interface PlatformPause {
  /** Milliseconds until the next request is allowed; 0 if it is allowed now. */
  remainingMs(): Promise<number>;
}
