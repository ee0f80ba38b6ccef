import type { Difference } from '@artist-watch/domain/change/difference';
import type { BaselineState } from '@artist-watch/domain/detection/baseline';
import type { FollowersOfDay } from '@artist-watch/domain/detection/followers-trend';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ChangeId } from '@artist-watch/domain/ids';

/** A difference that an operator has dismissed, and that stood when it was last looked at. */
export interface IgnoredChange {
  readonly id: ChangeId;
  readonly difference: Difference;
}

/** What an artist's observations are compared with. */
export interface ArtistDetection {
  /** Null before the first complete observation. */
  readonly baseline: BaselineState | null;
  readonly suspicions: readonly Suspicion[];
  readonly ignored: readonly IgnoredChange[];
  readonly followersHistory: readonly FollowersOfDay[];
}
