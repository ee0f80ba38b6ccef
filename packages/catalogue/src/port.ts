import type { Credit, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { RequestUrgency } from './budget/request-budget.js';

/**
 * `shallow`: the artist and its release list. `deep`: also each release with its tracks. `full`: also each track, which
 * Deezer needs for all credits and markets.
 */
export type ReadDepth =
  | 'shallow'
  | 'deep'
  | 'full'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds?: readonly string[] };

/**
 * `gone`: the id does not exist, or is playable in no checked market. `relinkedTo`: Deezer returns the release that
 * replaced an old id.
 */
export type DirectReading =
  | 'alive'
  | 'gone'
  | 'unknown'
  | { readonly relinkedTo: string }
  /** The release is credited to these artists, but not to `artistPlatformId`. */
  | { readonly movedTo: readonly Credit[] };

export type ArtistFound =
  | { readonly kind: 'found'; readonly artist: FoundArtist }
  /** The platform has no such artist, or the text cannot be its id. */
  | { readonly kind: 'not_found' };

export interface FoundArtist {
  readonly platformId: string;
  readonly name: string;
  readonly imageId: string | undefined;
  readonly followers: number | undefined;
  /** The artist's page on the platform. */
  readonly url: string;
}

/** Undefined fields are unknown (docs/reference/api.md). */
export interface Track {
  readonly platformId: string;
  readonly name: string;
  readonly url: string;
  readonly isrc: string | undefined;
  readonly durationMs: number | undefined;
  readonly explicit: boolean | undefined;
  readonly artists: readonly { readonly platformId: string | undefined; readonly name: string }[];
  readonly release: TrackRelease | undefined;
}

export interface TrackRelease {
  readonly platformId: string;
  readonly name: string | undefined;
  /** `album`, `single`, `ep` or `compilation`. */
  readonly type: string | undefined;
  /** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. */
  readonly releaseDate: string | undefined;
  readonly upc: string | undefined;
  readonly label: string | undefined;
}

export type TrackFound = { readonly kind: 'found'; readonly track: Track } | { readonly kind: 'not_found' };

export type TracksFound =
  /** The platform's best match comes first. */
  { readonly kind: 'found'; readonly tracks: readonly [Track, ...Track[]] } | { readonly kind: 'not_found' };

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Default: `due`. */
  readonly urgency?: RequestUrgency | undefined;
  /** The account that is charged. */
  readonly account?: string | undefined;
}

export interface DirectOptions extends ReadOptions {
  /** The artist whose list lacks the release. If omitted, credits are not compared. */
  readonly artistPlatformId?: string | undefined;
}

/**
 * Detector reads return platform errors as incomplete observations or `unknown`. Lookups throw a PlatformError. Both
 * throw an aborted signal's reason.
 */
export interface PlatformClient {
  readonly platform: Platform;
  /** For customers: `Deezer`. */
  readonly sourceName: string;
  /** True if release lists can include markets. */
  readonly listsMarkets: boolean;

  /**
   * Never throws on platform errors. `reconcileArtist` and `readWholeList` decide whether an artist is gone or merged,
   * and whether a list is complete. Incomplete track lists are unknown.
   */
  readArtist(artistPlatformId: string, options: ReadOptions & { readonly depth: ReadDepth }): Promise<Observation>;

  readDirectly(kind: 'release' | 'track', platformId: string, options: DirectOptions): Promise<DirectReading>;

  findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound>;
  /** Returns each artist once, best match first. Matches are fuzzy, so names can differ or repeat. */
  searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]>;
  lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound>;
  /** @param isrc 12 upper-case characters */
  findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound>;

  close(): void;
}

export interface DetailPlan {
  /** In the requested order. */
  readonly ids: readonly string[];
  /** True if each track must be read as well. */
  full(releaseId: string): boolean;
}

export function planDetails(depth: ReadDepth, listed: readonly { readonly id: string }[]): DetailPlan {
  const all = listed.map(({ id }) => id);
  if (depth === 'shallow') return { ids: [], full: () => false };
  if (typeof depth === 'string') return { ids: all, full: () => depth === 'full' };
  const full = new Set(depth.fullReleaseIds);
  const isListed = new Set(all);
  const ids = [...new Set([...depth.deepReleaseIds, ...full])].filter((id) => isListed.has(id));
  return { ids, full: (id) => full.has(id) };
}
