/**
 * The state of an artist on a streaming platform at one time.
 *
 * A field that is `undefined` is unknown: the platform did not include it, or it was not read. Unknown values are never
 * compared (docs/reference/detection.md), so a missing field cannot look like a change.
 */

/** The platforms that an installation can watch; one installation watches one of them. */
export type Platform = 'deezer' | 'spotify';

/** The platforms' names in texts for customers. */
export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { deezer: 'Deezer', spotify: 'Spotify' };

/** A credited artist: the printed name, and the platform's id if it has one. */
export interface Credit {
  readonly platformId: string | undefined;
  readonly name: string;
}

export interface TrackState {
  readonly platformId: string;
  readonly title: string | undefined;
  readonly isrc: string | undefined;
  /** 1-based position in the release, over all discs. */
  readonly position: number | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
}

export interface ReleaseState {
  readonly platformId: string;
  readonly title: string | undefined;
  /** `album`, `single`, `ep` or `compilation`, in lower case. */
  readonly type: string | undefined;
  /** `YYYY-MM-DD`, or shorter if the platform knows only the month or year. */
  readonly releaseDate: string | undefined;
  /** Content id of the picture, never its URL. */
  readonly artworkId: string | undefined;
  readonly label: string | undefined;
  readonly upc: string | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
  /** ISO 3166-1 alpha-2 codes of the countries where the release can be played. An empty list means unknown. */
  readonly markets: readonly string[] | undefined;
  /** `undefined` if this observation did not read the tracks (a shallow poll). */
  readonly tracks: readonly TrackState[] | undefined;
  /** Number of additional tracks without any data, not even an id. Default: none. */
  readonly unknownTracks?: number | undefined;
}

/** An artist and the complete list of its releases. */
export interface CatalogueState {
  readonly artist: {
    readonly platformId: string;
    readonly name: string | undefined;
    readonly imageId: string | undefined;
    readonly followers: number | undefined;
    readonly monthlyListeners: number | undefined;
  };
  readonly releases: readonly ReleaseState[];
  /** Number of additional releases without any data, not even an id. Default: none. */
  readonly unknownReleases?: number | undefined;
}

/** The artist that the platform returns for the id of the merged one. */
export interface MergeTarget {
  readonly platformId: string;
  readonly name: string | undefined;
}

/**
 * Causes of an incomplete observation: the platform limits our requests; it failed or did not respond; its responses
 * are malformed or contradict each other; or a list stays shorter or longer than its total.
 */
export const INCOMPLETE_CAUSES = ['rate_limited', 'platform_error', 'unclear_response', 'incomplete_list'] as const;
export type IncompleteCause = (typeof INCOMPLETE_CAUSES)[number];

/**
 * One read of an artist. Only a `complete` one may be compared: every page was read without an error body, and the
 * count equals the total or enough reads in a row agree. `artist_gone`: the platform says that it has no such artist.
 * `artist_merged`: the platform returns another artist.
 */
export type Observation =
  | { readonly kind: 'complete'; readonly observedAt: Date; readonly state: CatalogueState }
  | { readonly kind: 'artist_gone'; readonly observedAt: Date }
  | { readonly kind: 'artist_merged'; readonly observedAt: Date; readonly into: MergeTarget }
  | {
      readonly kind: 'incomplete';
      readonly observedAt: Date;
      readonly cause: IncompleteCause;
      /** For operators. */
      readonly reason: string;
    };
