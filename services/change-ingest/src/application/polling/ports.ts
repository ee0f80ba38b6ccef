import type { Observation } from '@artist-watch/domain/catalogue';
import type { DirectAnswer } from '@artist-watch/domain/detection/direct-reads';
import type { AccountId } from '@artist-watch/domain/ids';

/**
 * Releases in `deepReleaseIds` and `fullReleaseIds` are requested individually. For `fullReleaseIds`, each track is
 * requested too. All other releases are only read from the artist's list.
 */
export type PollDepth =
  | 'shallow'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds: readonly string[] };

export interface RequestOptions {
  readonly signal: AbortSignal;
  /**
   * `due` requests go first, `close` requests get a share of the budget, and `spare` requests fail if nothing is left.
   */
  readonly urgency: 'due' | 'close' | 'spare';
  readonly account?: AccountId | undefined;
}

/**
 * Implemented by `PlatformClient` (packages/catalogue/src/port.ts). If the platform fails, observations are `incomplete`
 * and direct reads are `unknown`.
 */
export interface WatchedPlatform {
  readonly listsMarkets: boolean;
  readArtist(platformId: string, options: RequestOptions & { readonly depth: PollDepth }): Promise<Observation>;
  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    options: RequestOptions & { readonly artistPlatformId: string },
  ): Promise<DirectAnswer>;
}

/** A pause in all requests, required by the platform or by our request budget. */
export interface PlatformPause {
  /** Returns 0 if a request is allowed now. */
  remainingMs(): Promise<number>;
}
