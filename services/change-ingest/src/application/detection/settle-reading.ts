import type { Observation } from '@artist-watch/domain/catalogue';
import type { Difference } from '@artist-watch/domain/change/difference';
import { type BaselineState, firstBaseline } from '@artist-watch/domain/detection/baseline';
import { type Advance, advance } from '@artist-watch/domain/detection/confirmation';
import { findDifferences } from '@artist-watch/domain/detection/difference-search';
import { endedAmong, withoutIgnored } from '@artist-watch/domain/detection/difference-visibility';
import { asMoves, directReadsOf } from '@artist-watch/domain/detection/direct-reads';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistDetection, PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { ScheduleSettings } from '../polling/schedule.js';
import { asksForHistory, believable } from './observed-metrics.js';
import type { DetectionContext, Reading } from './reading.js';
import { type ReadingSettlement, relevantContent, settled } from './settlement.js';

const NO_DIGEST = Buffer.alloc(0);

/** Whether it takes an artist's catalogue to settle a reading, or only where the artist stands. */
export function needsDetection(
  pollState: PollState,
  { observation, digest }: Reading,
  settings: ScheduleSettings,
): boolean {
  if (isStale(pollState, observation)) return false;
  // It is compared with nothing, but each suspicion keeps a note of it.
  if (observation.kind === 'incomplete') return pollState.hasSuspicions;
  if (pollState.hasSuspicions || digest === null || pollState.digest === null) return true;
  if (isWatchedAnew(pollState, settings)) return true;
  return !digest.equals(pollState.digest) || asksForHistory(pollState, believable(pollState, observation));
}

/** Decides what a reading makes of an artist. @param detection given wherever `needsDetection` says so. */
export function settleReading(
  pollState: PollState,
  detection: ArtistDetection | null,
  raw: Reading,
  context: DetectionContext,
): ReadingSettlement {
  const reading = { ...raw, observation: believable(pollState, raw.observation) };
  const { observation } = reading;
  const given = { pollState, detection, reading, context };
  if (isStale(pollState, observation)) return settled({ kind: 'stale', ...given });
  if (observation.kind === 'incomplete') {
    const snapshot = { kind: 'incomplete', reason: observation.reason } as const;
    const step = detection?.baseline == null ? null : advanced(detection, detection.baseline, [], reading, context);
    return settled({ kind: 'incomplete', ...given, snapshot, advance: step });
  }
  if (detection === null) return settled({ kind: 'unchanged', ...given });
  if (detection.baseline === null || detection.baseline.emptySince || isWatchedAnew(pollState, context.settings)) {
    return settleFirst(pollState, detection, reading, context);
  }

  const { baseline, suspicions, ignored, followersHistory } = detection;
  const found = findDifferences({ baseline, observation, suspicions, followersHistory });
  const moves = asMoves(found, baseline, suspicions, reading.directAnswers);
  const differences = withoutIgnored(moves, ignored);
  const step = advanced(detection, baseline, differences, reading, context);
  const showsNothing = differences.length === 0 && step.nextCheckAt === null;
  return settled({
    kind: 'compared',
    ...given,
    advance: step,
    baseline: step.baseline === baseline ? null : step.baseline,
    // The next reading may equal the old baseline, and the new one contains the change: so no digest is kept.
    digest: showsNothing ? reading.digest : step.confirmed.length > 0 ? NO_DIGEST : null,
    snapshot: relevantContent(baseline, step, observation),
    ignoredNoLonger: endedAmong(ignored, moves, step.baseline, observation),
  });
}

/**
 * The first complete snapshot is the baseline, and emits nothing; one without any release only when another one shows
 * none at least an interval later. What was suspected before does not matter any more.
 */
function settleFirst(
  pollState: PollState,
  detection: ArtistDetection,
  reading: Reading,
  context: DetectionContext,
): ReadingSettlement {
  const { observation } = reading;
  const given = { pollState, detection, reading, context };
  if (observation.kind !== 'complete') {
    const isMerged = observation.kind === 'artist_merged';
    const reason = isMerged ? 'the platform answers with another artist' : 'the platform has no such artist';
    const snapshot = { kind: 'incomplete', reason } as const;
    return settled({ kind: 'incomplete', ...given, snapshot });
  }
  const baseline = firstBaseline(observation.state, emptySince(pollState, detection, observation, context.settings));
  return settled({
    kind: 'baseline',
    ...given,
    baseline,
    advance: allOvertaken(detection.suspicions, baseline, observation, context),
    ignoredNoLonger: detection.ignored,
    // No digest: the next reading looks at what this one left unread.
    digest: NO_DIGEST,
    snapshot: { kind: 'catalogue', catalogue: observation.state },
  });
}

/** Undefined for a list that is believed. */
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
  reading: Reading,
  context: DetectionContext,
): Advance {
  return advance({
    baseline,
    observation: reading.observation,
    suspicions,
    differences,
    directReads: directReadsOf(differences, reading.observation, reading.directAnswers),
    fleetBrakes: context.fleetBrakes,
    followersHistory,
    snapshotId: context.snapshotId,
    settings: context.settings.confirmation,
  });
}

/** There is a new baseline, and what was suspected against the one before is moot. */
function allOvertaken(
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
    newlyHeld: [],
    nextCheckAt: null,
    baseline,
  };
}

/**
 * Nobody who watches the artist did when it was last read, nor within an interval of it: what changed in between is
 * reported to none of them. A watch that begins sooner waits for the next reading, and loses nothing by it.
 */
function isWatchedAnew(
  { watchedSince, lastCompleteAt, planIntervalMs }: PollState,
  { intervalFactor }: ScheduleSettings,
): boolean {
  if (watchedSince === null || lastCompleteAt === null || planIntervalMs === null) return false;
  return watchedSince.getTime() - lastCompleteAt.getTime() > planIntervalMs * intervalFactor;
}

function isStale({ lastCompleteAt }: PollState, { observedAt }: Reading['observation']): boolean {
  return lastCompleteAt !== null && observedAt <= lastCompleteAt;
}
