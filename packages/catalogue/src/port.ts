import type { Credit, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { RequestUrgency } from './budget/request-budget.js';

/**
 * The depth of a read. `shallow`: the artist and its list of releases. `deep`: also each release, with its label, UPC,
 * credits and tracks. `full`: also each track, if that is needed to know all credits and the markets (Deezer). Fields
 * that are not read stay unknown, which is never a change.
 */
export type ReadDepth =
  | 'shallow'
  | 'deep'
  | 'full'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds?: readonly string[] };

/**
 * The platform's response to a request for one id, the second path of rule R. `gone`: the platform itself says that the
 * id does not exist, or it cannot be played in any market that was checked. `relinkedTo`: Deezer responds to an old id
 * with the release that replaced it. `unknown`: no clear response.
 */
export type DirectReading =
  | 'alive'
  | 'gone'
  | 'unknown'
  | { readonly relinkedTo: string }
  /** The release exists, and is credited to these artists but not to `artistPlatformId`. */
  | { readonly movedTo: readonly Credit[] };

export type ArtistFound =
  | { readonly kind: 'found'; readonly artist: FoundArtist }
  /** The platform has no such artist, or the text cannot be one of its ids. */
  | { readonly kind: 'not_found' };

export interface FoundArtist {
  readonly platformId: string;
  readonly name: string;
  readonly imageId: string | undefined;
  readonly followers: number | undefined;
  /** The artist's page on the platform. */
  readonly url: string;
}

/** A track as the tools show it (docs/reference/api.md). `undefined`: the source does not have it. */
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
  /** `album`, `single`, `ep`, `compilation`. */
  readonly type: string | undefined;
  /** `YYYY-MM-DD`, or shorter. */
  readonly releaseDate: string | undefined;
  readonly upc: string | undefined;
  readonly label: string | undefined;
}

export type TrackFound = { readonly kind: 'found'; readonly track: Track } | { readonly kind: 'not_found' };

export type TracksFound =
  /** At least one. The first is the platform's first choice. */
  { readonly kind: 'found'; readonly tracks: readonly [Track, ...Track[]] } | { readonly kind: 'not_found' };

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** The priority of all requests of the read. Default: `due`. */
  readonly urgency?: RequestUrgency | undefined;
  /** The account that these requests are charged to. */
  readonly account?: string | undefined;
}

export interface DirectOptions extends ReadOptions {
  /** The artist from whose list a release is missing. If omitted, its credits are not compared. */
  readonly artistPlatformId?: string | undefined;
}

/**
 * A streaming platform. Reads for the detector never throw on platform errors: they are incomplete or unknown then.
 * Lookups for people throw a PlatformError, which decides the response. Both throw the signal's reason when it is
 * aborted.
 */
export interface PlatformClient {
  readonly platform: Platform;
  /** The platform's name for customers: `Deezer`. */
  readonly sourceName: string;
  /** True if an artist's list of releases can include the markets of each. */
  readonly listsMarkets: boolean;

  /**
   * Reads an artist and its whole list of releases, to the given depth. `complete` if every page was read without an
   * error body, and each list's count equals its total or enough consecutive reads match (`readWholeList`).
   * `artist_gone` if two requests for the artist and the list say so. `artist_merged` if two requests return the same
   * other artist, which also returns itself. The same rules apply to the tracks of a detailed read. If they were not
   * read completely, they are unknown.
   */
  readArtist(artistPlatformId: string, options: ReadOptions & { readonly depth: ReadDepth }): Promise<Observation>;

  readDirectly(kind: 'release' | 'track', platformId: string, options: DirectOptions): Promise<DirectReading>;

  findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound>;
  /**
   * Artists that the platform finds for a name, best match first, each once. Its search is fuzzy, so results can have
   * other names, and several artists can share a name.
   */
  searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]>;
  lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound>;
  /** @param isrc normalized: 12 upper-case characters. */
  findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound>;

  /** Closes the keep-alive connections. */
  close(): void;
}

export interface DetailPlan {
  /** Listed releases that get a detailed read, in the requested order. */
  readonly ids: readonly string[];
  /** True if each track of the release is read too. */
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
