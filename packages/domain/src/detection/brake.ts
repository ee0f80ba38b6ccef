/**
 * Puts a brake on mass removals (docs/reference/detection.md). If many releases vanish at once, an error of the
 * platform is more likely than real removals. Braked removals need more observations over a longer time, and raise an
 * alert.
 */
import type { CatalogueState } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import type { BrakeKind } from './suspicion-note.js';

/** If at least this share of an artist's releases is missing, their removals are braked. */
const ARTIST_RATIO = 0.3;
/**
 * A single missing release is never braked, even if the artist has only a few releases. The `absence` rule protects it.
 */
const ARTIST_MINIMUM = 2;
/** If more than this share of the artists polled in a cycle have removals, all removals are braked. */
const FLEET_RATIO = 0.05;
/** Minimum number of artists with removals, so that two takedowns among ten artists do not raise an alert. */
const FLEET_MINIMUM = 3;

/** True if so many of the artist's releases are missing that their removals are braked. */
export function artistBrake(baseline: CatalogueState, differences: readonly Difference[]): boolean {
  const missing = differences.filter(isAbsentRelease).length;
  return missing >= ARTIST_MINIMUM && missing >= baseline.releases.length * ARTIST_RATIO;
}

export interface PollCycle {
  readonly artistsPolled: number;
  /** Number of artists with a new removal of a release, a track or the artist. */
  readonly artistsWithRemovals: number;
}

/** True if so many of the polled artists have removals that all removals are braked. */
export function fleetBrake({ artistsPolled, artistsWithRemovals }: PollCycle): boolean {
  return artistsWithRemovals >= FLEET_MINIMUM && artistsWithRemovals > artistsPolled * FLEET_RATIO;
}

/** Change types that the brake treats as removals. */
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

/**
 * Returns the keys of braked differences, each with its brake: the artist's missing releases, or every removal if the
 * fleet brake applies.
 */
export function brakedKeys(
  baseline: CatalogueState,
  differences: readonly Difference[],
  fleetBrakes: boolean,
): ReadonlyMap<string, BrakeKind> {
  const artistBrakes = artistBrake(baseline, differences);
  const braked = new Map<string, BrakeKind>();
  for (const difference of differences) {
    if (artistBrakes && isAbsentRelease(difference)) braked.set(difference.key, 'artist');
    else if (fleetBrakes && isRemoval(difference)) braked.set(difference.key, 'fleet');
  }
  return braked;
}
