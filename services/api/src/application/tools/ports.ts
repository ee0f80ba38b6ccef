import type { AccountId } from '@artist-watch/domain/ids';

/** A track as the platform knows it. `undefined` is what the platform does not say. */
export interface FoundTrack {
  readonly platformId: string;
  readonly name: string;
  readonly url: string;
  readonly isrc: string | undefined;
  readonly durationMs: number | undefined;
  readonly explicit: boolean | undefined;
  readonly artists: readonly { readonly platformId: string | undefined; readonly name: string }[];
  readonly release:
    | {
        readonly platformId: string;
        readonly name: string | undefined;
        readonly type: string | undefined;
        readonly releaseDate: string | undefined;
        readonly upc: string | undefined;
        readonly label: string | undefined;
      }
    | undefined;
}

/** The platform in use. */
export interface TrackSource {
  /** As customers know it: `Deezer`. */
  readonly sourceName: string;
  /**
   * @returns undefined when the platform has no such track.
   * @throws ApiError `upstream_…` when the platform gives no usable answer in time.
   */
  findTrack(trackId: string): Promise<FoundTrack | undefined>;
  /**
   * @param isrc normalised
   * @returns none when the platform knows no such track; its own first choice first.
   * @throws ApiError `upstream_…`
   */
  findTracks(isrc: string): Promise<readonly FoundTrack[]>;
}

/**
 * Follows a short link to where it leads, through the egress.
 *
 * @returns undefined when it leads nowhere that may be followed.
 * @throws ApiError `upstream_…`
 */
export type FollowShortLink = (link: URL) => Promise<string | undefined>;

/** A UTC day, `YYYY-MM-DD`. */
export type UtcDay = string;

/** Tool calls per account and UTC day, over the API and the dashboard together. */
export interface Allowance {
  /** Takes one call; of any number of requests at once, exactly as many pass as are left. */
  reserve(request: {
    readonly accountId: AccountId;
    readonly limit: number;
    readonly now: Date;
  }): Promise<{ readonly kind: 'reserved' | 'spent'; readonly day: UtcDay }>;
  /** Gives a reserved call back to the day that it was taken from. Rejects when it stays charged; the operator knows. */
  refund(accountId: AccountId, day: UtcDay): Promise<void>;
  /** Calls used on the day of `now`. */
  used(accountId: AccountId, now: Date): Promise<number>;
}
