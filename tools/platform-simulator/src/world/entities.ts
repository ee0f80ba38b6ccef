export interface SimulatedArtist {
  readonly id: string;
  name: string;
  /** A picture id has 32 hex digits. */
  imageId: string;
  followers: number;
  readonly genre: string;
  /** After a merge, the platform returns this artist instead. */
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
  artworkId: string;
  label: string;
  upc: string;
  explicit: boolean;
  artistIds: readonly string[];
  /** ISO 3166-1 alpha-2 codes. */
  markets: readonly string[];
  /** If set, the platform returns this release instead. */
  relinkedTo: string | undefined;
  removed: boolean;
}

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
  /** As on the real platforms, removing a track leaves a gap in the positions. */
  position: number;
  explicit: boolean;
  artistIds: readonly string[];
  markets: readonly string[];
  removed: boolean;
}

export type EntityKind = 'artist' | 'release' | 'track';
