/**
 * What a streaming platform says about an artist at one instant.
 *
 * A field that is `undefined` is unknown: the platform did not say, or it was not asked. Unknown is never
 * compared with known (docs/reference/detection.md), so a vanished field cannot look like a change.
 */

/** The platforms that an installation can watch; one installation watches one of them. */
export type Platform = 'deezer' | 'spotify';

/** The platforms' names in texts for customers. */
export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { deezer: 'Deezer', spotify: 'Spotify' };

/** A credited artist: the platform's id where it has one, and the printed name. */
export interface Credit {
  readonly platformId: string | undefined;
  readonly name: string;
}

export interface TrackState {
  readonly platformId: string;
  readonly title: string | undefined;
  readonly isrc: string | undefined;
  /** 1-based place in the release, over all discs. */
  readonly position: number | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
}

export interface ReleaseState {
  readonly platformId: string;
  readonly title: string | undefined;
  /** `album`, `single`, `ep`, `compilation`, as the platform names it in lower case. */
  readonly type: string | undefined;
  /** `YYYY-MM-DD`, or shorter where the platform knows only the month or year. */
  readonly releaseDate: string | undefined;
  /** Content id of the picture, never its address. */
  readonly artworkId: string | undefined;
  readonly label: string | undefined;
  readonly upc: string | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
  /** ISO 3166-1 alpha-2 codes in which the release can be played. An empty list says nothing. */
  readonly markets: readonly string[] | undefined;
  /** `undefined` when this observation did not read the tracks (a shallow poll). */
  readonly tracks: readonly TrackState[] | undefined;
  /** How many tracks it has besides of which the platform shows nothing, not even an id; none unless given. */
  readonly unknownTracks?: number | undefined;
}

/** A complete list of an artist's releases, and what is known of each. */
export interface CatalogueState {
  readonly artist: {
    readonly platformId: string;
    readonly name: string | undefined;
    readonly imageId: string | undefined;
    readonly followers: number | undefined;
    readonly monthlyListeners: number | undefined;
  };
  readonly releases: readonly ReleaseState[];
  /** How many releases there are besides of which the platform shows nothing, not even an id; none unless given. */
  readonly unknownReleases?: number | undefined;
}

/** The artist that the platform answers with in place of the merged one. */
export interface MergeTarget {
  readonly platformId: string;
  readonly name: string | undefined;
}

/**
 * Why an observation is incomplete: the platform limits our requests; it failed or did not respond; its responses are
 * malformed or contradict each other; or a list stays shorter or longer than its total.
 */
export const INCOMPLETE_CAUSES = ['rate_limited', 'platform_error', 'unclear_response', 'incomplete_list'] as const;
export type IncompleteCause = (typeof INCOMPLETE_CAUSES)[number];

/**
 * One reading of an artist. Only a `complete` one may be compared: every page was read to its end, no error body
 * appeared, and the count equals the total or a second full reading agreed. `artist_gone` means that the platform
 * answered that it has no such artist; `artist_merged`, that it answers with another artist.
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
