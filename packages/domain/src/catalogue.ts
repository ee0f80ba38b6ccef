/** An `undefined` field is unknown. Unknown fields are never compared (docs/reference/detection.md). */

export type Platform = 'deezer' | 'spotify';

export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { deezer: 'Deezer', spotify: 'Spotify' };

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
  /** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. */
  readonly releaseDate: string | undefined;
  /** The content id of the cover, never its URL. */
  readonly artworkId: string | undefined;
  readonly label: string | undefined;
  readonly upc: string | undefined;
  readonly explicit: boolean | undefined;
  readonly credits: readonly Credit[] | undefined;
  /** ISO 3166-1 alpha-2 codes. An empty list means unknown. */
  readonly markets: readonly string[] | undefined;
  /** Only in a baseline: a single observation showed the markets, so some may be missing. */
  readonly marketsSeenOnce?: boolean | undefined;
  readonly tracks: readonly TrackState[] | undefined;
  /** Number of null and duplicate entries in the platform's track list. Default: 0. */
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
  /** Number of null and duplicate entries in the platform's release list. Default: 0. */
  readonly unknownReleases?: number | undefined;
}

/** The artist that the platform returns for the id of a merged artist. */
export interface MergeTarget {
  readonly platformId: string;
  readonly name: string | undefined;
}

/** `unclear_response` means that the response is malformed or contradicts another one. */
export const INCOMPLETE_CAUSES = ['rate_limited', 'platform_error', 'unclear_response', 'incomplete_list'] as const;
export type IncompleteCause = (typeof INCOMPLETE_CAUSES)[number];

/** An `incomplete` observation is never compared with the baseline. */
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
