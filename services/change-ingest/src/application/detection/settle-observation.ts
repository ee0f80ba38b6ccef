import type { Observation } from '@artist-watch/domain/catalogue';
import type { Difference } from '@artist-watch/domain/change/difference';
import { type BaselineState, firstBaseline } from '@artist-watch/domain/detection/baseline';
import { type Advance, advance } from '@artist-watch/domain/detection/confirmation';
import { findDifferences } from '@artist-watch/domain/detection/difference-search';
import { endedIgnores, excludeIgnored } from '@artist-watch/domain/detection/difference-visibility';
import { detectMoves, matchDirectReads } from '@artist-watch/domain/detection/direct-reads';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistDetection, PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { ScheduleSettings } from '../polling/schedule.js';
import {
  type ArtistObservation,
  type DetectionContext,
  needsFollowersHistory,
  withPlausibleCounts,
} from './artist-observation.js';
import { type ObservationSettlement, relevantContent, settled } from './settlement.js';

const NO_DIGEST = Buffer.alloc(0);

export function needsDetection(
  pollState: PollState,
  { observation, digest }: ArtistObservation,
  settings: ScheduleSettings,
): boolean {
  if (isStale(pollState, observation)) return false;
  // An incomplete observation is not compared, but it is recorded with each suspicion.
  if (observation.kind === 'incomplete') return pollState.hasSuspicions;
  if (pollState.hasSuspicions || digest === null || pollState.digest === null) return true;
  if (hasOnlyNewWatchers(pollState, settings)) return true;
  return (
    !digest.equals(pollState.digest) || needsFollowersHistory(pollState, withPlausibleCounts(pollState, observation))
  );
}

/** @param detection required if `needsDetection` returned true. */
export function settleObservation(
  pollState: PollState,
  detection: ArtistDetection | null,
  raw: ArtistObservation,
  context: DetectionContext,
): ObservationSettlement {
  const reading = { ...raw, observation: withPlausibleCounts(pollState, raw.observation) };
  const { observation } = reading;
  const parts = { pollState, detection, reading, context };
  if (isStale(pollState, observation)) return settled({ kind: 'stale', ...parts });
  if (observation.kind === 'incomplete') {
    const snapshot = { kind: 'incomplete', reason: observation.reason } as const;
    const step = detection?.baseline == null ? null : advanced(detection, detection.baseline, [], reading, context);
    return settled({ kind: 'incomplete', ...parts, snapshot, advance: step });
  }
  if (detection === null) return settled({ kind: 'unchanged', ...parts });
  if (detection.baseline === null || detection.baseline.emptySince || hasOnlyNewWatchers(pollState, context.settings)) {
    return settleFirst(pollState, detection, reading, context);
  }

  const { baseline, suspicions, ignored, followersHistory } = detection;
  // `readArtist` compared without the lock, so the state may have changed. A removal that is new here has no direct
  // read, so it does not count.
  const found = findDifferences({ baseline, observation, suspicions, followersHistory });
  const moves = detectMoves(found, baseline, suspicions, reading.directAnswers);
  const differences = excludeIgnored(moves, ignored);
  const step = advanced(detection, baseline, differences, reading, context);
  const nothingPending = differences.length === 0 && step.nextCheckAt === null;
  return settled({
    kind: 'compared',
    ...parts,
    advance: step,
    baseline: step.baseline === baseline ? null : step.baseline,
    // A confirmation changes the baseline, so the next observation must be compared even if it matches the stored
    // digest.
    digest: nothingPending ? reading.digest : step.confirmed.length > 0 ? NO_DIGEST : null,
    snapshot: relevantContent(baseline, step, observation),
    endedIgnores: endedIgnores(ignored, moves, step.baseline, observation),
  });
}

/**
 * Stores the first complete observation as the baseline and reports no changes. An empty list must be confirmed by
 * another observation at least one interval later.
 */
function settleFirst(
  pollState: PollState,
  detection: ArtistDetection,
  reading: ArtistObservation,
  context: DetectionContext,
): ObservationSettlement {
  const { observation } = reading;
  const parts = { pollState, detection, reading, context };
  if (observation.kind !== 'complete') {
    const isMerged = observation.kind === 'artist_merged';
    const reason = isMerged
      ? 'the platform returns another artist'
      : 'the platform reports that the artist does not exist';
    const snapshot = { kind: 'incomplete', reason } as const;
    return settled({ kind: 'incomplete', ...parts, snapshot });
  }
  const baseline = firstBaseline(observation.state, emptySince(pollState, detection, observation, context.settings));
  return settled({
    kind: 'baseline',
    ...parts,
    baseline,
    advance: dismissAll(detection.suspicions, baseline, observation, context),
    endedIgnores: detection.ignored,
    // Clearing the digest makes the next poll read the details of the listed releases.
    digest: NO_DIGEST,
    snapshot: { kind: 'catalogue', catalogue: observation.state },
  });
}

/**
 * Returns the time when the list of releases was first found empty. Undefined if the list can be accepted as the
 * baseline.
 */
function emptySince(
  { planIntervalMs }: PollState,
  { baseline }: ArtistDetection,
  { state, observedAt }: Observation & { readonly kind: 'complete' },
  { intervalFactor }: ScheduleSettings,
): Date | undefined {
  if (state.releases.length > 0) return undefined;
  const since = baseline?.emptySince;
  const intervalMs = (planIntervalMs ?? 0) * intervalFactor;
  return since && observedAt.getTime() - since.getTime() >= intervalMs ? undefined : (since ?? observedAt);
}

function advanced(
  { suspicions, followersHistory }: ArtistDetection,
  baseline: BaselineState,
  differences: readonly Difference[],
  reading: ArtistObservation,
  context: DetectionContext,
): Advance {
  return advance({
    baseline,
    observation: reading.observation,
    suspicions,
    differences,
    directReads: matchDirectReads(differences, reading.observation, reading.directAnswers),
    fleetBrakes: context.fleetBrakes,
    followersHistory,
    snapshotId: context.snapshotId,
    settings: context.settings.confirmation,
  });
}

/** Dismisses suspicions that refer to the old baseline. */
function dismissAll(
  suspicions: readonly Suspicion[],
  baseline: BaselineState,
  { observedAt: at }: Observation,
  { snapshotId }: DetectionContext,
): Advance {
  const note = { kind: 'contradicted', at, why: 'overtaken', directRead: 'not_asked', snapshotId } as const;
  return {
    opened: [],
    strengthened: [],
    noted: [],
    confirmed: [],
    dismissed: suspicions.map((suspicion) => ({
      suspicion: { ...suspicion, notes: [...suspicion.notes, note] },
      reason: 'overtaken',
    })),
    newlyBraked: [],
    nextCheckAt: null,
    baseline,
  };
}

/**
 * True if every current watcher started watching more than one interval after the last complete observation. In that
 * case, earlier changes don't concern them.
 */
function hasOnlyNewWatchers(
  { watchedSince, lastCompleteAt, planIntervalMs }: PollState,
  { intervalFactor }: ScheduleSettings,
): boolean {
  if (watchedSince === null || lastCompleteAt === null || planIntervalMs === null) return false;
  return watchedSince.getTime() - lastCompleteAt.getTime() > planIntervalMs * intervalFactor;
}

function isStale({ lastCompleteAt }: PollState, { observedAt }: ArtistObservation['observation']): boolean {
  return lastCompleteAt !== null && observedAt <= lastCompleteAt;
}
