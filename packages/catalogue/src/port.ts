import type { Credit, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { RequestUrgency } from './budget/request-budget.js';

/**
 * A `deep` read includes each release. A `full` read also includes each track, because Deezer returns some credits and
 * markets only with the track itself.
 */
export type ReadDepth =
  | 'shallow'
  | 'deep'
  | 'full'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds?: readonly string[] };

/** `relinkedTo` means that the platform responded with the release that replaced an old id. */
export type DirectReading =
  | 'alive'
  | 'gone'
  | 'unknown'
  | { readonly relinkedTo: string }
  /** The release exists, but credits only these artists. */
  | { readonly movedTo: readonly Credit[] };

export type ArtistFound =
  | { readonly kind: 'found'; readonly artist: FoundArtist }
  /** Also returned for text that cannot be a platform id. */
  | { readonly kind: 'not_found' };

export interface FoundArtist {
  readonly platformId: string;
  readonly name: string;
  readonly imageId: string | undefined;
  readonly followers: number | undefined;
  readonly url: string;
}

/** Undefined fields are unknown (docs/api/requests.md). */
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
  /** `album`, `single`, `ep` or `compilation`. */
  readonly type: string | undefined;
  /** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. */
  readonly releaseDate: string | undefined;
  readonly upc: string | undefined;
  readonly label: string | undefined;
}

export type TrackFound = { readonly kind: 'found'; readonly track: Track } | { readonly kind: 'not_found' };

export type TracksFound =
  /** The platform's best match comes first. */
  { readonly kind: 'found'; readonly tracks: readonly [Track, ...Track[]] } | { readonly kind: 'not_found' };

export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly urgency?: RequestUrgency | undefined;
  readonly account?: string | undefined;
}

export interface DirectOptions extends ReadOptions {
  /** If undefined, the release's credits are not checked. */
  readonly artistPlatformId?: string | undefined;
}

/**
 * The detector's reads return platform errors as results, while user lookups throw them. If the signal aborts, both
 * throw its reason.
 */
export interface PlatformClient {
  readonly platform: Platform;
  readonly sourceName: string;
  /** True if release lists can include markets. */
  readonly listsMarkets: boolean;

  /** `reconcileArtist` and `readWholeList` explain which responses a read needs before it believes them. */
  readArtist(artistPlatformId: string, options: ReadOptions & { readonly depth: ReadDepth }): Promise<Observation>;

  readDirectly(kind: 'release' | 'track', platformId: string, options: DirectOptions): Promise<DirectReading>;

  findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound>;
  /** Returns each artist once, best match first. Names can differ, because the platform's search is fuzzy. */
  searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]>;
  lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound>;
  /** @param isrc 12 upper-case characters */
  findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound>;

  close(): void;
}

export interface DetailPlan {
  readonly ids: readonly string[];
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

/** Only `not_found` means that something is missing (docs/reference/detection.md). */
export type PlatformFailure =
  | { readonly kind: 'not_found' }
  /** Also thrown if our own request budget is used up. */
  | { readonly kind: 'quota'; readonly retryAfterMs: number }
  /** Also thrown if there was no connection. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'timeout' }
  /** The response has an unknown format or contradicts itself. */
  | { readonly kind: 'bad_answer'; readonly isIncompleteList?: true };

export type PlatformFailureKind = PlatformFailure['kind'];

/** Every incomplete snapshot stores the message, and a platform's error text can be a page long. */
const MAX_DETAIL_CHARS = 300;

/** The message is for operators and contains no secrets. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly failure: PlatformFailure,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${failure.kind}: ${detail.slice(0, MAX_DETAIL_CHARS)}`, options);
  }
}

export function notFound(detail: string): PlatformError {
  return new PlatformError({ kind: 'not_found' }, detail);
}

export function badResponse(detail: string, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'bad_answer' }, detail, options);
}

export function incompleteList(detail: string, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'bad_answer', isIncompleteList: true }, detail, options);
}

export function unavailable(detail: string, retryAfterMs?: number, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'unavailable', retryAfterMs }, detail, options);
}

export function quotaSpent(detail: string, retryAfterMs: number): PlatformError {
  return new PlatformError({ kind: 'quota', retryAfterMs }, detail);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof PlatformError && error.failure.kind === 'not_found';
}
