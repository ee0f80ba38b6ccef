/**
 * The brake on mass removals (docs/reference/detection.md): when much vanishes at once it is more likely that the platform is
 * wrong than that it happened. Held removals need more observations over a longer time, and raise an alert.
 */
import type { CatalogueState } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import type { BrakeKind } from './suspicion-note.js';

/** Part of an artist's releases from which on their removal is held. */
const ARTIST_RATIO = 0.3;
/** One release alone is never many, however few the artist has; rule R guards it. */
const ARTIST_MINIMUM = 2;
/** Part of the artists polled in a cycle above which all removals are held. */
const FLEET_RATIO = 0.05;
/** So that two takedowns in an installation that watches ten artists are no alarm. */
const FLEET_MINIMUM = 3;

/** Whether so many of the artist's releases are missing at once that their removals are held. */
export function artistBrake(baseline: CatalogueState, differences: readonly Difference[]): boolean {
  const missing = differences.filter(isAbsentRelease).length;
  return missing >= ARTIST_MINIMUM && missing >= baseline.releases.length * ARTIST_RATIO;
}

export interface PollCycle {
  readonly artistsPolled: number;
  /** Artists of which a release, a track or themselves were newly found missing. */
  readonly artistsWithRemovals: number;
}

/** Whether removals touch so many of the artists polled in a cycle that all of them are held. */
export function fleetBrake({ artistsPolled, artistsWithRemovals }: PollCycle): boolean {
  return artistsWithRemovals >= FLEET_MINIMUM && artistsWithRemovals > artistsPolled * FLEET_RATIO;
}

/** The types of what disappears from an artist. */
export const REMOVAL_TYPES = [
  'release_removed',
  'release_moved',
  'track_removed',
  'artist_removed',
  'artist_merged',
] as const;

export function isRemoval({ type }: Difference): boolean {
  return REMOVAL_TYPES.some((removal) => removal === type);
}

function isAbsentRelease({ type }: Difference): boolean {
  return type === 'release_removed' || type === 'release_moved';
}

/** The differences that are held, by key: the artist's missing releases, or every removal when the fleet brakes. */
export function heldKeys(
  baseline: CatalogueState,
  differences: readonly Difference[],
  fleetBrakes: boolean,
): ReadonlyMap<string, BrakeKind> {
  const artistBrakes = artistBrake(baseline, differences);
  const brakeOn = (difference: Difference): BrakeKind | null => {
    if (artistBrakes && isAbsentRelease(difference)) return 'artist';
    return fleetBrakes && isRemoval(difference) ? 'fleet' : null;
  };
  return new Map(
    differences.flatMap((difference) => {
      const by = brakeOn(difference);
      return by === null ? [] : [[difference.key, by] as const];
    }),
  );
}
