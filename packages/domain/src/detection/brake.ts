/**
 * The brake on mass removals (docs/reference/detection.md): when much vanishes at once it is more likely that the
 * platform
 * is wrong than that it happened. Held removals need more observations over a longer time, and raise an alert.
 */
import type { CatalogueState } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import type { BrakeKind } from './suspicion-note.js';

export interface BrakeSettings {
  /** Part of an artist's releases from which on their removal is held. */
  readonly artistRatio: number;
  /** One release alone is never many, however few the artist has; rule R guards it. */
  readonly artistMinimum: number;
  /** Part of the artists polled in a cycle above which all removals are held. */
  readonly fleetRatio: number;
  /** So that two takedowns in an installation that watches ten artists are no alarm. */
  readonly fleetMinimum: number;
}

const BRAKE_SETTINGS: BrakeSettings = {
  artistRatio: 0.3,
  artistMinimum: 2,
  fleetRatio: 0.05,
  fleetMinimum: 3,
};

/** Whether so many of the artist's releases are missing at once that their removals are held. */
export function artistBrake(
  baseline: CatalogueState,
  differences: readonly Difference[],
  settings: BrakeSettings = BRAKE_SETTINGS,
): boolean {
  const missing = differences.filter(({ type }) => type === 'release_removed').length;
  return missing >= settings.artistMinimum && missing >= baseline.releases.length * settings.artistRatio;
}

export interface PollCycle {
  readonly artistsPolled: number;
  /** Artists of which a release, a track or themselves were newly found missing. */
  readonly artistsWithRemovals: number;
}

/** Whether removals touch so many of the artists polled in a cycle that all of them are held. */
export function fleetBrake(cycle: PollCycle, settings: BrakeSettings = BRAKE_SETTINGS): boolean {
  const { artistsPolled, artistsWithRemovals } = cycle;
  return artistsWithRemovals >= settings.fleetMinimum && artistsWithRemovals > artistsPolled * settings.fleetRatio;
}

export function isRemoval({ type }: Difference): boolean {
  return type === 'release_removed' || type === 'track_removed' || type === 'artist_removed';
}

/** The differences that are held, by key: the artist's missing releases, or every removal when the fleet brakes. */
export function heldKeys(
  baseline: CatalogueState,
  differences: readonly Difference[],
  fleetBrakes: boolean,
  settings: BrakeSettings = BRAKE_SETTINGS,
): ReadonlyMap<string, BrakeKind> {
  const artistBrakes = artistBrake(baseline, differences, settings);
  const brakeOn = (difference: Difference): BrakeKind | null => {
    if (artistBrakes && difference.type === 'release_removed') return 'artist';
    return fleetBrakes && isRemoval(difference) ? 'fleet' : null;
  };
  return new Map(
    differences.flatMap((difference) => {
      const by = brakeOn(difference);
      return by === null ? [] : [[difference.key, by] as const];
    }),
  );
}
