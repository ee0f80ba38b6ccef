/**
 * If many releases vanish at once, a platform error is likely (docs/reference/detection.md). The brake then puts the
 * removals on hold, which means that they need more evidence and raise an alert.
 * Operators can decide about each of them (docs/adr/0014).
 */
import type { CatalogueState } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import { type NeededEvidence, provenPart, type Suspicion } from './suspicion.js';
import type { BrakeKind, OperatorDecision } from './suspicion-note.js';

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

type Release =
  /** There was already enough evidence to confirm the change. */
  | {
      readonly kind: 'confirmed';
      readonly suspicion: Suspicion;
      readonly detectedAt: Date;
      readonly confirmedAt: Date;
    }
  | { readonly kind: 'suspected'; readonly suspicion: Suspicion };

/** Uses the time of the decision as the confirmation time, because changes must not be backdated in a feed. */
export function release(held: Suspicion, decision: OperatorDecision, settings: NeededEvidence): Release {
  const suspicion: Suspicion = { ...held, held: false, notes: [...held.notes, { kind: 'released', ...decision }] };
  const proven = provenPart(suspicion, settings);
  if (proven === null) return { kind: 'suspected', suspicion };
  const [first] = suspicion.observations;
  const last = suspicion.observations.at(-1) ?? first;
  const confirmedAt = new Date(Math.max(decision.at.getTime(), last.observedAt.getTime()));
  return { kind: 'confirmed', suspicion: proven, detectedAt: first.observedAt, confirmedAt };
}

/** After this, the difference is ignored until observations no longer show it. */
export function dismiss(held: Suspicion, decision: OperatorDecision): Suspicion {
  return { ...held, held: false, notes: [...held.notes, { kind: 'dismissed', ...decision }] };
}
