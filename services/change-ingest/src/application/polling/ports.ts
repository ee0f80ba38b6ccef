import type { Observation } from '@artist-watch/domain/catalogue';
import type { DirectRead } from '@artist-watch/domain/detection/suspicion-note';

/** Which releases are read by themselves, and which of those with each track by itself; the others as the list has them. */
export type ReadingDepth =
  | 'shallow'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds: readonly string[] };

/** The part of a streaming platform that is polled. Trouble of the platform makes readings incomplete or unknown. */
export interface WatchedPlatform {
  /** Whether the list of releases names the markets of each. */
  readonly listsMarkets: boolean;
  readArtist(
    platformId: string,
    options: { readonly depth: ReadingDepth; readonly signal: AbortSignal },
  ): Promise<Observation>;
  readReleaseDirectly(platformId: string, options: { readonly signal: AbortSignal }): Promise<DirectRead>;
  readTrackDirectly(platformId: string, options: { readonly signal: AbortSignal }): Promise<DirectRead>;
}

/** The platform, or our budget for it, grants no request for a while. */
export interface PlatformPause {
  /** Milliseconds until it may be asked again; 0 when it may be now. */
  remainingMs(): number;
}
