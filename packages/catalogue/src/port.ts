import type { Credit, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { RequestUrgency } from './budget/request-budget.js';

/**
 * The depth of a read. `shallow`: the artist and its list of releases. `deep`: also each release, with its label, UPC,
 * credits and tracks. `full`: also each track, if the platform needs that to return all credits and markets (Deezer
 * does). Fields that were not read stay unknown, and an unknown field is never a change.
 */
export type ReadDepth =
  | 'shallow'
  | 'deep'
  | 'full'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds?: readonly string[] };

/**
 * The result of a request for a single id, which is the second method of the `absence` rule. `gone`: the platform says
 * that the id does not exist, or the entity is playable in none of the checked markets. `relinkedTo`: Deezer answers a
 * request for an old id with the release that replaced it. `unknown`: the response is unclear.
 */
export type DirectReading =
  | 'alive'
  | 'gone'
  | 'unknown'
  | { readonly relinkedTo: string }
  /** The release exists, but it is credited to these artists and not to `artistPlatformId`. */
  | { readonly movedTo: readonly Credit[] };

export type ArtistFound =
  | { readonly kind: 'found'; readonly artist: FoundArtist }
  /** The platform has no such artist, or the given text cannot be one of its ids. */
  | { readonly kind: 'not_found' };

export interface FoundArtist {
  readonly platformId: string;
  readonly name: string;
  readonly imageId: string | undefined;
  readonly followers: number | undefined;
  /** URL of the artist's page on the platform. */
  readonly url: string;
}

/**
 * A track as the lookup tools show it (docs/reference/api.md). A field is undefined if the platform does not have it.
 */
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
  /** One of `album`, `single`, `ep` and `compilation`. */
  readonly type: string | undefined;
  /** A date in the format `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. */
  readonly releaseDate: string | undefined;
  readonly upc: string | undefined;
  readonly label: string | undefined;
}

export type TrackFound = { readonly kind: 'found'; readonly track: Track } | { readonly kind: 'not_found' };

export type TracksFound =
  /** At least one track. The platform's best match comes first. */
  { readonly kind: 'found'; readonly tracks: readonly [Track, ...Track[]] } | { readonly kind: 'not_found' };

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** The priority of all requests of the read. Default: `due`. */
  readonly urgency?: RequestUrgency | undefined;
  /** The account that these requests are charged to. */
  readonly account?: string | undefined;
}

export interface DirectOptions extends ReadOptions {
  /** The artist whose list lacks the release. If omitted, the release's credits are not compared. */
  readonly artistPlatformId?: string | undefined;
}

/**
 * A client for a streaming platform. Reads for the detector never throw on platform errors, but return an incomplete
 * observation or `unknown`. Lookups for users throw a PlatformError, which decides the API's response. Both throw the
 * signal's reason if it is aborted.
 */
export interface PlatformClient {
  readonly platform: Platform;
  /** The platform's name as customers see it: `Deezer`. */
  readonly sourceName: string;
  /** True if an artist's list of releases can include the markets of each release. */
  readonly listsMarkets: boolean;

  /**
   * Reads an artist and its whole list of releases, to the given depth. The observation is:
   *
   * - `complete` if every page was read without an error, and the list's count equals its total or enough consecutive
   *   reads match (`readWholeList`);
   * - `artist_gone` if two requests for the artist say that it does not exist, and the list does not exist or is empty;
   * - `artist_merged` if two requests return the same other artist, and a request for that artist's id returns it too.
   *
   * The rules for lists also apply to the track lists of detailed reads. Tracks that were not read completely are
   * unknown.
   */
  readArtist(artistPlatformId: string, options: ReadOptions & { readonly depth: ReadDepth }): Promise<Observation>;

  readDirectly(kind: 'release' | 'track', platformId: string, options: DirectOptions): Promise<DirectReading>;

  findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound>;
  /**
   * Searches for artists by name. Returns each artist exactly once, best match first. The platform's search is fuzzy,
   * so results can have different names, and several artists can share a name.
   */
  searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]>;
  lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound>;
  /** @param isrc normalized to 12 upper-case characters. */
  findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound>;

  /** Closes the keep-alive connections. */
  close(): void;
}

export interface DetailPlan {
  /** The listed releases to read in detail, in the requested order. */
  readonly ids: readonly string[];
  /** True if each track of the release must be read as well. */
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
