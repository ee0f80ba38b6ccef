/**
 * The state of an artist on a streaming platform at one time.
 *
 * A field that is `undefined` is unknown: the platform did not include it, or it was not read. Unknown values are never
 * compared (docs/reference/detection.md), so a missing field cannot look like a change.
 */

/** The platforms that this service supports. An installation watches one of them. */
export type Platform = 'deezer' | 'spotify';

/** Names of the platforms in texts for customers. */
export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { deezer: 'Deezer', spotify: 'Spotify' };

/** A credited artist: the name as credited and, if there is one, the platform's id. */
export interface Credit {
  readonly platformId: string | undefined;
  readonly name: string;
}

export interface TrackState {
  readonly platformId: string;
  readonly title: string | undefined;
  readonly isrc: string | undefined;
  /** Position in the release, counted from 1 across all discs. */
  readonly position: number | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
}

export interface ReleaseState {
  readonly platformId: string;
  readonly title: string | undefined;
  /** The kind of release in lower case: `album`, `single`, `ep` or `compilation`. */
  readonly type: string | undefined;
  /** A date as `YYYY-MM-DD`, or shorter if the platform knows only the month or the year. */
  readonly releaseDate: string | undefined;
  /** The content id of the cover, never its URL. */
  readonly artworkId: string | undefined;
  readonly label: string | undefined;
  readonly upc: string | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
  /** Countries where the release can be played, as ISO 3166-1 alpha-2 codes. An empty list means unknown. */
  readonly markets: readonly string[] | undefined;
  /** The tracks, or `undefined` if the observation did not read them. */
  readonly tracks: readonly TrackState[] | undefined;
  /**
   * Number of entries in the platform's track list that are null or duplicates. They are not in `tracks`. Default: 0.
   */
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
  /**
   * Number of entries in the platform's release list that are null or duplicates. They are not in `releases`.
   * Default: 0.
   */
  readonly unknownReleases?: number | undefined;
}

/** The artist that the platform returns when a merged artist's id is requested. */
export interface MergeTarget {
  readonly platformId: string;
  readonly name: string | undefined;
}

/**
 * Why an observation is incomplete. `rate_limited`: the platform limits our requests. `platform_error`: it failed or
 * did not respond. `unclear_response`: its responses are malformed or contradict each other. `incomplete_list`: a list
 * stays shorter or longer than its total.
 */
export const INCOMPLETE_CAUSES = ['rate_limited', 'platform_error', 'unclear_response', 'incomplete_list'] as const;
export type IncompleteCause = (typeof INCOMPLETE_CAUSES)[number];

/**
 * The result of reading an artist once.
 *
 * - `complete`: no page had an error, and the number of items matches the total or enough reads in a row agree. Only
 *   such an observation may be compared with the baseline.
 * - `artist_gone`: the platform says that the artist does not exist.
 * - `artist_merged`: the platform returns another artist.
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
