import type { IncompleteCause, Observation } from '@artist-watch/domain/catalogue';
import { type BaselineState, serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import type { Advance, Confirmation } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { SuspicionNote } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistDetection, IgnoredChange, PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { SettlementRows } from '@artist-watch/persistence/polling/settlement-writes';
import type { SnapshotWrite } from '@artist-watch/persistence/snapshot-store';
import { nextPollAt, type ScheduleQuestion } from '../polling/schedule.js';
import { changeRows } from './change-rows.js';
import { isFirstOfDay, metricsOf } from './observed-metrics.js';
import type { DetectionContext, Reading } from './reading.js';

/** What one observation makes of an artist. */
export interface ReadingSettlement {
  /**
   * How the observation was processed: as the `baseline`; found to be `unchanged` without a comparison; `compared`; not
   * compared because it was `incomplete`; or `stale`, because one of a later time was processed before.
   */
  readonly kind: 'baseline' | 'unchanged' | 'compared' | 'incomplete' | 'stale';
  /** What became of suspicions; null where nothing was compared. */
  readonly advance: Advance | null;
  /** All of them are written in one transaction. */
  readonly rows: SettlementRows;
}

/** A reading that was processed, durably. */
export interface ProcessedReading {
  readonly reading: Reading;
  readonly settlement: ReadingSettlement;
}

export interface ReadingIntake {
  /**
   * Decides what a reading makes of its artist, and writes that in one transaction: suspicions, confirmed changes with
   * their feed rows and deliveries, the baseline, the time of the next reading. Processing a reading twice is harmless.
   */
  process(reading: Reading): Promise<ProcessedReading>;
}

export interface SettledParts {
  readonly kind: ReadingSettlement['kind'];
  readonly pollState: PollState;
  readonly detection: ArtistDetection | null;
  readonly reading: Reading;
  readonly context: DetectionContext;
  readonly advance?: ReadingSettlement['advance'];
  /** Where it does not stay as it is. */
  readonly baseline?: BaselineState | null;
  /** Where it does not stay as it is; empty where none is known. */
  readonly digest?: Buffer | null;
  /** What is kept of the observation. */
  readonly snapshot?: SnapshotWrite['content'] | null;
  /** What an operator had dismissed, and stands no longer. */
  readonly ignoredNoLonger?: readonly IgnoredChange[];
}

/** Completes a settlement with where the artist stands from now on, and when it is read again. */
export function settled(parts: SettledParts): ReadingSettlement {
  const { kind, pollState, detection, reading, context, advance = null, baseline = null, ignoredNoLonger = [] } = parts;
  const { digest = null, snapshot = null } = parts;
  const { snapshotId, now } = context;
  const { observation, source } = reading;
  const { observedAt } = observation;
  const artistId = pollState.id;
  const isConclusive = kind === 'baseline' || kind === 'unchanged' || kind === 'compared';
  const isPoll = source !== 'ingested';
  const metrics = isConclusive ? metricsOf(observation) : null;
  const { followers, monthlyListeners = null } = metrics ?? {};
  const incompletePolls = incompleteAfter(parts);
  const name = baseline?.artist.name ?? pollState.name;
  const rows: SettlementRows = {
    artist: {
      artistId,
      name,
      followers: followers ?? pollState.followers,
      monthlyListeners: monthlyListeners ?? pollState.monthlyListeners,
      metricsObservedAt: metrics === null ? pollState.metricsObservedAt : observedAt,
      nextPollAt: pollAfter(parts, incompletePolls),
      lastPolledAt: isPoll ? observedAt : pollState.lastPolledAt,
      lastCompleteAt: isConclusive ? observedAt : pollState.lastCompleteAt,
      incompletePolls,
      incompleteCause: causeAfter(parts),
      notFoundSince: notFoundAfter(parts),
      mergedInto: mergedAfter(parts),
      learning: learnsNext(parts) || (pollState.learning && !(isConclusive && source === 'poll')),
      endsClaim: isPoll,
    },
    isComplete: isConclusive,
    metric:
      followers !== undefined && isFirstOfDay(pollState, observedAt)
        ? { artistId, day: observedAt, followers, monthlyListeners }
        : null,
    day: isPoll ? { artistId, day: observedAt, complete: isConclusive, recount: baseline !== null } : null,
    baseline: baseline && { artistId, state: serialiseBaseline(baseline), updatedAt: now },
    digest: digest && { artistId, digest },
    snapshot: snapshot && { id: snapshotId, artistId, observedAt, content: snapshot },
    changes: advance === null ? [] : changeRows(advance, { pollState, name, detection, observedAt, context }),
    ignoredNoLonger: ignoredNoLonger.map(({ id }) => ({
      changeId: id,
      note: { kind: 'stands_no_longer', at: observedAt, snapshotId },
    })),
  };
  return { kind, advance, rows };
}

function incompleteAfter({ kind, pollState, reading }: SettledParts): number {
  switch (kind) {
    case 'incomplete':
      return pollState.incompletePolls + (reading.source === 'poll' ? 1 : 0);
    case 'stale':
      return pollState.incompletePolls;
    case 'baseline':
    case 'unchanged':
    case 'compared':
      return 0;
  }
}

function causeAfter({ kind, pollState, reading: { observation } }: SettledParts): IncompleteCause | null {
  if (kind === 'stale') return pollState.incompleteCause;
  return observation.kind === 'incomplete' ? observation.cause : null;
}

/** Of an artist that was there before, only its confirmed removal counts. */
function notFoundAfter({ kind, pollState, reading, advance }: SettledParts): Date | null {
  const { kind: seen, observedAt } = reading.observation;
  if (kind === 'stale' || seen === 'incomplete') return pollState.notFoundSince;
  if (seen === 'complete' || seen === 'artist_merged') return null;
  const isGone = kind === 'incomplete' || advance?.confirmed.some(({ suspicion }) => isRemovalOfArtist(suspicion));
  return pollState.notFoundSince ?? (isGone ? observedAt : null);
}

/** For an artist with a baseline, only a confirmed merge counts. */
function mergedAfter({ kind, pollState, reading: { observation }, advance }: SettledParts): string | null {
  if (kind === 'stale' || observation.kind === 'incomplete') return pollState.mergedInto;
  if (observation.kind === 'complete') return null;
  if (observation.kind === 'artist_merged') {
    const isMerge = ({ suspicion }: Confirmation) => suspicion.difference.type === 'artist_merged';
    if (kind === 'incomplete' || advance?.confirmed.some(isMerge)) return observation.into.platformId;
  }
  return pollState.mergedInto;
}

function isRemovalOfArtist({ difference }: Suspicion): boolean {
  return difference.type === 'artist_removed';
}

function pollAfter(parts: SettledParts, incompletePolls: number): Date | null {
  const { pollState, reading, context } = parts;
  const { planIntervalMs } = pollState;
  const next = nextPollAt(
    {
      now: context.now,
      planIntervalMs,
      purpose: purposeOfNext(parts),
      incompletePolls,
      isNotFound: notFoundAfter(parts) !== null || mergedAfter(parts) !== null,
    },
    context.settings,
  );
  if (reading.source === 'poll' || next === null || pollState.nextPollAt === null) return next;
  // Closer readings, and what others report, do not stand in for our polls; they only bring the next one forward.
  return new Date(Math.min(next.getTime(), pollState.nextPollAt.getTime()));
}

/** There is a new baseline, and releases whose tracks it does not know. */
function learnsNext({ kind, baseline }: SettledParts): boolean {
  return kind === 'baseline' && baseline != null && baseline.releases.length > 0;
}

function purposeOfNext(parts: SettledParts): ScheduleQuestion['purpose'] {
  const { kind, pollState, advance = null } = parts;
  switch (kind) {
    case 'baseline':
      return learnsNext(parts) ? 'learn' : 'usual';
    case 'unchanged':
      return 'usual';
    case 'compared':
      return advance?.nextCheckAt == null ? 'usual' : 'confirm';
    case 'incomplete':
    case 'stale':
      return pollState.hasSuspicions ? 'confirm' : 'usual';
  }
}

/**
 * What is kept of a compared observation: nothing when it is relevant to no suspicion, and teaches nothing. Of those that
 * do not count for the same reason the first is kept.
 *
 * @param baseline before the observation.
 */
export function relevantContent(
  baseline: BaselineState,
  step: Advance,
  observation: Exclude<Observation, { kind: 'incomplete' }>,
): SnapshotWrite['content'] | null {
  const { opened, strengthened, noted, confirmed, dismissed } = step;
  const firstNoted = noted.filter(({ notes }) => notes.some((note) => isFirstOf(note, observation.observedAt)));
  const isRelevant = [opened, strengthened, firstNoted, confirmed, dismissed].some(({ length }) => length > 0);
  if (!isRelevant && step.baseline === baseline) return null;
  return observation.kind === 'complete'
    ? { kind: 'catalogue', catalogue: observation.state }
    : { kind: 'no_catalogue' };
}

function isFirstOf(note: SuspicionNote, observedAt: Date): boolean {
  return note.kind === 'not_counted' && note.times === 1 && note.at.getTime() === observedAt.getTime();
}
