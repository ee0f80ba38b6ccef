/**
 * `undefined` fields are unknown. They are never compared, so they cannot look like changes
 * (docs/reference/detection.md).
 */

export type Platform = 'deezer' | 'spotify';

export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { deezer: 'Deezer', spotify: 'Spotify' };

/** An artist as credited, with a platform id if there is one. */
export interface Credit {
  readonly platformId: string | undefined;
  readonly name: string;
}

export interface TrackState {
  readonly platformId: string;
  readonly title: string | undefined;
  readonly isrc: string | undefined;
  /** Counted from 1 across all discs. */
  readonly position: number | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
}

export interface ReleaseState {
  readonly platformId: string;
  readonly title: string | undefined;
  /** `album`, `single`, `ep` or `compilation`. */
  readonly type: string | undefined;
  /** `YYYY-MM-DD`, or shorter if the platform knows only the month or year. */
  readonly releaseDate: string | undefined;
  /** The cover's content id, never its URL. */
  readonly artworkId: string | undefined;
  readonly label: string | undefined;
  readonly upc: string | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
  /** ISO 3166-1 alpha-2 codes. An empty list means unknown. */
  readonly markets: readonly string[] | undefined;
  /** `undefined` if the observation did not read them. */
  readonly tracks: readonly TrackState[] | undefined;
  /** Null and duplicate entries in the platform's track list. They are not in `tracks`. Default: 0. */
  readonly unknownTracks?: number | undefined;
}

export interface CatalogueState {
  readonly artist: {
    readonly platformId: string;
    readonly name: string | undefined;
    readonly imageId: string | undefined;
    readonly followers: number | undefined;
    readonly monthlyListeners: number | undefined;
  };
  readonly releases: readonly ReleaseState[];
  /** Null and duplicate entries in the platform's release list. They are not in `releases`. Default: 0. */
  readonly unknownReleases?: number | undefined;
}

/** The artist that the platform returns for a merged artist's id. */
export interface MergeTarget {
  readonly platformId: string;
  readonly name: string | undefined;
}

/** `unclear_response`: malformed or contradictory. `incomplete_list`: a list never matches its total. */
export const INCOMPLETE_CAUSES = ['rate_limited', 'platform_error', 'unclear_response', 'incomplete_list'] as const;
export type IncompleteCause = (typeof INCOMPLETE_CAUSES)[number];

/**
 * Only a `complete` observation may be compared: no page failed, and the count matches the total or several reads
 * agree.
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
