/** What the simulated platform knows, in no platform's own shape: each dialect words it in its own way. */

export interface SimulatedArtist {
  readonly id: string;
  name: string;
  /** 32 hex digits, as in the address of the picture. */
  imageId: string;
  followers: number;
  readonly genre: string;
  /** Another artist that the platform answers with when it is asked for this one. */
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
  /** 32 hex digits, as in the address of the cover. */
  artworkId: string;
  label: string;
  upc: string;
  explicit: boolean;
  /** The main artist first. */
  artistIds: readonly string[];
  /** ISO 3166-1 alpha-2 codes. */
  markets: readonly string[];
  /** Another release that the platform answers with when it is asked for this one. */
  relinkedTo: string | undefined;
  removed: boolean;
}

/** Whether it comes out on a day that is still to come. */
export function isLater({ releaseDate }: SimulatedRelease, now: Date): boolean {
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
  /** 1-based place on its disc; a removed track leaves a gap, as on the platforms. */
  position: number;
  explicit: boolean;
  /** The main artist first, then the featured ones. */
  artistIds: readonly string[];
  markets: readonly string[];
  removed: boolean;
}

export type EntityKind = 'artist' | 'release' | 'track';
