import type { Observation } from '@artist-watch/domain/catalogue';
import type { DirectAnswer } from '@artist-watch/domain/detection/direct-reads';
import type { AccountId } from '@artist-watch/domain/ids';

/** Which releases are read by themselves, and which of those with each track by itself; the others as the list has them. */
export type ReadingDepth =
  | 'shallow'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds: readonly string[] };

/** How the platform is asked for one reading. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /**
   * What its requests wait behind: `due` ones go first, `close` ones have a part of the turns, `spare` ones get what both
   * leave over, and are refused when that is nothing.
   */
  readonly urgency: 'due' | 'close' | 'spare';
  /** The account that its requests are charged to. */
  readonly account?: AccountId | undefined;
}

/** The part of a streaming platform that is polled. Trouble of the platform makes readings incomplete or unknown. */
export interface WatchedPlatform {
  /** Whether the list of releases names the markets of each. */
  readonly listsMarkets: boolean;
  readArtist(platformId: string, options: AskOptions & { readonly depth: ReadingDepth }): Promise<Observation>;
  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    options: AskOptions & { readonly artistPlatformId: string },
  ): Promise<DirectAnswer>;
}

/** The platform, or our budget for it, grants no request for a while. */
export interface PlatformPause {
  /** Milliseconds until it may be asked again; 0 when it may be now. */
  remainingMs(): Promise<number>;
}
