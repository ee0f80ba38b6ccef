import type { Observation } from '@artist-watch/domain/catalogue';
import type { DirectRead } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { ClaimedArtist, CloserDepth } from '@artist-watch/persistence/polling/due-artists';
import type { ArtistDetection } from '../detection/reading.js';

/** An artist whose time has come, claimed for one reading. */
export interface DueArtist extends ClaimedArtist {
  /** Where its account has several in the same queue: which of them it is, from 1, those that are being read included. */
  readonly turn?: number;
  /** It was claimed for a closer reading of some of its releases, before it is due. */
  readonly closer?: CloserClaim;
}

export interface CloserClaim {
  readonly depth: CloserDepth;
  /** The release that the last one of this depth ended with; null at the beginning of a turn. */
  readonly after: string | null;
  /** In which all releases are to be read, in milliseconds. */
  readonly intervalMs: number;
}

export interface NextCloserReading {
  /** When the next one is aimed at. */
  readonly at: Date;
  readonly after: string | null;
}

/**
 * What an artist waits for: its `first` reading; one that is `learning` the tracks of its releases; a `usual` one; or a
 * `closer` reading of some releases, for which nothing but the spare requests of the platform's budget is spent. Each kind
 * has its own queue and its own places.
 */
export type ReadingKind = 'first' | 'learning' | 'usual' | 'closer';

export interface DueArtists {
  /**
   * Up to `limit`: of the usual the longest overdue first, of the closer readings the stalest, of the others the accounts in turns,
   * so that no account has more than `mostOfAccount` of them read at once.
   */
  claim(kind: ReadingKind, limit: number, mostOfAccount: number, now: Date): Promise<readonly DueArtist[]>;
  /** Notes where the closer readings of an artist stand. */
  noteCloser(artistId: ArtistId, depth: CloserDepth, next: NextCloserReading): Promise<void>;
  renew(artistIds: readonly ArtistId[], now: Date): Promise<void>;
  /** Gives them back unread. */
  release(artistIds: readonly ArtistId[]): Promise<void>;
}

/** What artists are compared with; one whose record cannot be read is left out. */
export type LoadDetections = (
  artistIds: readonly ArtistId[],
  now: Date,
) => Promise<ReadonlyMap<ArtistId, ArtistDetection>>;

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
