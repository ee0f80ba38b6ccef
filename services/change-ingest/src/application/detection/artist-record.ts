import type { Difference } from '@artist-watch/domain/change/difference';
import type { BaselineState } from '@artist-watch/domain/detection/baseline';
import type { FollowersOfDay } from '@artist-watch/domain/detection/followers-trend';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';

/** What is known of an artist without its catalogue: all that an unchanged artist needs. */
export interface PollState {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
  readonly followers: number;
  readonly monthlyListeners: number;
  /** Null before the first. */
  readonly metricsObservedAt: Date | null;
  /** Null while nobody watches it. */
  readonly nextPollAt: Date | null;
  readonly lastPolledAt: Date | null;
  readonly lastCompleteAt: Date | null;
  /** Polls in a row that were not complete. */
  readonly incompletePolls: number;
  /** The first of the readings in a row that found no such artist; null after one that found it. */
  readonly notFoundSince: Date | null;
  /** It has a baseline, and the next reading learns the tracks of its releases. */
  readonly learning: boolean;
  /** The fastest interval among the plans of those who watch it, in milliseconds; null when nobody does. */
  readonly planIntervalMs: number | null;
  /** Since when one of those has watched it who watch it now; null when nobody does. */
  readonly watchedSince: Date | null;
  /** Of the last reading that showed no difference; null before the baseline, empty where none is known. */
  readonly digest: Buffer | null;
  readonly hasSuspicions: boolean;
}

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
