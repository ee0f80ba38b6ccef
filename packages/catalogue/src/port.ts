import type { Credit, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { RequestUrgency } from './budget/request-budget.js';

/**
 * How much of an artist is read. `shallow` is the artist and the list of releases. A deep release is read by itself as
 * well, with its label, UPC, credits and tracks; a full one also asks for each of its tracks, where that is what it
 * takes to know all credits and the markets (on Deezer). What is not read stays unknown, which is never a change.
 */
export type ReadDepth =
  | 'shallow'
  | 'deep'
  | 'full'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds?: readonly string[] };

/**
 * What the platform answers when it is asked for one thing by its id, the second path of rule R. `gone` only when it
 * said about that very id, in its own words, that there is no such thing, or that nobody can play it anywhere that was
 * asked. Deezer answers an old id of a release with the release that it has become; everything else that is no clear
 * answer is `unknown`.
 */
export type DirectReading =
  | 'alive'
  | 'gone'
  | 'unknown'
  | { readonly relinkedTo: string }
  /** The release is alive, and credited to these artists, and not to `artistPlatformId`. */
  | { readonly movedTo: readonly Credit[] };

export type ArtistFound =
  | { readonly kind: 'found'; readonly artist: FoundArtist }
  /** The platform has no such artist, or the text cannot be an id of the platform. */
  | { readonly kind: 'not_found' };

export interface FoundArtist {
  readonly platformId: string;
  readonly name: string;
  readonly imageId: string | undefined;
  readonly followers: number | undefined;
  /** The artist's page on the platform. */
  readonly url: string;
}

/** A track as the tools show it (docs/reference/api.md). `undefined` is what the source does not say. */
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
  /** At least one; the first is the platform's own first choice. */
  { readonly kind: 'found'; readonly tracks: readonly [Track, ...Track[]] } | { readonly kind: 'not_found' };

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Of all requests that the reading sends; `due` unless given. */
  readonly urgency?: RequestUrgency | undefined;
}

export interface DirectOptions extends ReadOptions {
  /** The artist from whose list a release is missing. If omitted, its credits are not compared. */
  readonly artistPlatformId?: string | undefined;
}

/**
 * A streaming platform, as the product sees it. Readings for the detector never throw because of the platform: errors
 * make them incomplete or unknown. Look-ups for people throw a PlatformError, which says what to answer them. Both
 * throw the signal's reason when it is aborted.
 */
export interface PlatformClient {
  readonly platform: Platform;
  /** Names the platform to customers: `Deezer`. */
  readonly sourceName: string;
  /** Whether the list of an artist's releases names the markets of each, where it names any. */
  readonly listsMarkets: boolean;

  /**
   * Reads an artist's whole list of releases, to the given depth. Complete only when every page was read, no error
   * body appeared, and each list's count equals its total or two readings in a row agree on it (`readWholeList`).
   * `artist_gone` only when the artist and the list both say so, and the artist twice. `artist_merged` only when the
   * artist is twice answered with another one that is answered with itself. Each release that is read closer,
   * by itself, is held to the same: where it could not be read whole, its tracks are unknown.
   */
  readArtist(artistPlatformId: string, options: ReadOptions & { readonly depth: ReadDepth }): Promise<Observation>;

  readDirectly(kind: 'release' | 'track', platformId: string, options: DirectOptions): Promise<DirectReading>;

  findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound>;
  /**
   * The artists that the platform itself finds for a name, best first, each once. Its search is fuzzy: other names are
   * among them, and several artists may have the same one.
   */
  searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]>;
  lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound>;
  /** @param isrc normalised: 12 upper-case characters. */
  findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound>;

  /** Closes the connections that are kept alive. */
  close(): void;
}

export interface CloserReading {
  /** The listed releases that are to be read by themselves, in the order in which that was asked for. */
  readonly ids: readonly string[];
  /** Whether the tracks of a release are to be read by themselves as well. */
  full(releaseId: string): boolean;
}

export function closerOf(depth: ReadDepth, listed: readonly { readonly id: string }[]): CloserReading {
  const all = listed.map(({ id }) => id);
  if (depth === 'shallow') return { ids: [], full: () => false };
  if (typeof depth === 'string') return { ids: all, full: () => depth === 'full' };
  const full = new Set(depth.fullReleaseIds);
  const isListed = new Set(all);
  const ids = [...new Set([...depth.deepReleaseIds, ...full])].filter((id) => isListed.has(id));
  return { ids, full: (id) => full.has(id) };
}
