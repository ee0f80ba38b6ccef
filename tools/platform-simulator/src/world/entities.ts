/** An artist in the catalogue. Each platform's router converts it to the platform's format. */
export interface SimulatedArtist {
  readonly id: string;
  name: string;
  /** The 32 hex digits in the picture's URL. */
  imageId: string;
  followers: number;
  readonly genre: string;
  /** Another artist that the platform returns instead of this one. */
  mergedInto: string | undefined;
  removed: boolean;
}

export const RELEASE_TYPES = ['album', 'single', 'ep', 'compilation'] as const;

export type ReleaseType = (typeof RELEASE_TYPES)[number];

export interface SimulatedRelease {
  readonly id: string;
  readonly artistId: string;
  title: string;
  type: ReleaseType;
  /** `YYYY-MM-DD` */
  releaseDate: string;
  /** The 32 hex digits in the cover's URL. */
  artworkId: string;
  label: string;
  upc: string;
  explicit: boolean;
  /** The ids of the artists, with the main artist first. */
  artistIds: readonly string[];
  /** ISO 3166-1 alpha-2 codes. */
  markets: readonly string[];
  /** Another release that the platform returns instead of this one. */
  relinkedTo: string | undefined;
  removed: boolean;
}

/** True if the release date is in the future. */
export function isUpcoming({ releaseDate }: SimulatedRelease, now: Date): boolean {
  return Date.parse(releaseDate) > now.getTime();
}

export interface SimulatedTrack {
  readonly id: string;
  readonly releaseId: string;
  title: string;
  /** `(Live)`, or empty. */
  version: string;
  isrc: string;
  durationMs: number;
  /** 1-based. */
  disc: number;
  /** The track's position on its disc, counted from 1. A removed track leaves a gap, as on the real platforms. */
  position: number;
  explicit: boolean;
  /** The ids of the artists: the main artist first, then the featured artists. */
  artistIds: readonly string[];
  markets: readonly string[];
  removed: boolean;
}

export type EntityKind = 'artist' | 'release' | 'track';
