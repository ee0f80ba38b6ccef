/**
 * If many releases vanish at once, a platform error is likely (docs/reference/detection.md). The brake then puts the
 * removals on hold, which means that they need more evidence and raise an alert.
 */
import type { CatalogueState } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import type { BrakeKind } from './suspicion-note.js';

const ARTIST_RATIO = 0.3;
/** The `absence` rule already protects a single release. */
const ARTIST_MINIMUM = 2;
/** If more than 5% of the watched artists have suspected removals, all removals are put on hold. */
const FLEET_RATIO = 0.05;
/** Two takedowns among ten artists must not raise an alert. */
const FLEET_MINIMUM = 3;

export function artistBrake(baseline: CatalogueState, differences: readonly Difference[]): boolean {
  const missing = differences.filter(isAbsentRelease).length;
  return missing >= ARTIST_MINIMUM && missing >= baseline.releases.length * ARTIST_RATIO;
}

export interface PollCycle {
  readonly artistsPolled: number;
  readonly artistsWithRemovals: number;
}

export function fleetBrake({ artistsPolled, artistsWithRemovals }: PollCycle): boolean {
  return artistsWithRemovals >= FLEET_MINIMUM && artistsWithRemovals > artistsPolled * FLEET_RATIO;
}

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
