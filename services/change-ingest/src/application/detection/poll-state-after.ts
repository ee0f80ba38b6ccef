import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { PollState } from '@artist-watch/persistence/polling/artist-rows';
import { nextPollAt, type ScheduleQuestion } from '../polling/schedule.js';
import { isFirstOfDay, metricsOf } from './observed-metrics.js';
import type { DetectionContext } from './ports.js';
import type { Reading } from './reading.js';
import type { ReadingSettlement } from './settlement.js';

export interface SettledParts
  extends Partial<Pick<ReadingSettlement, 'baseline' | 'digest' | 'snapshot' | 'advance' | 'ignoredNoLonger'>> {
  readonly kind: ReadingSettlement['kind'];
  readonly pollState: PollState;
  readonly reading: Reading;
  readonly context: DetectionContext;
}

/** Completes a settlement with where the artist stands from now on, and when it is read again. */
export function settled(parts: SettledParts): ReadingSettlement {
  const { kind, pollState, reading, advance = null, baseline = null, digest = null, snapshot = null } = parts;
  const { observation, source } = reading;
  const { observedAt } = observation;
  const isConclusive = kind === 'baseline' || kind === 'unchanged' || kind === 'compared';
  const metrics = isConclusive ? metricsOf(observation) : null;
  const incompletePolls = incompleteAfter(parts);
  return {
    kind,
    observedAt,
    artist: {
      name: baseline?.artist.name ?? pollState.name,
      followers: metrics?.followers ?? pollState.followers,
      monthlyListeners: metrics?.monthlyListeners ?? pollState.monthlyListeners,
      metricsObservedAt: metrics === null ? pollState.metricsObservedAt : observedAt,
      nextPollAt: pollAfter(parts, incompletePolls),
      lastPolledAt: source !== 'ingested' ? observedAt : pollState.lastPolledAt,
      lastCompleteAt: isConclusive ? observedAt : pollState.lastCompleteAt,
      incompletePolls,
      notFoundSince: notFoundAfter(parts),
      learning: kind === 'baseline' || (pollState.learning && !(isConclusive && source === 'poll')),
    },
    metric:
      metrics?.followers !== undefined && isFirstOfDay(pollState, observedAt)
        ? { followers: metrics.followers, monthlyListeners: metrics.monthlyListeners }
        : null,
    baseline,
    digest,
    snapshot,
    advance,
    ignoredNoLonger: parts.ignoredNoLonger ?? [],
  };
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

/** Of an artist that was there before, only its confirmed removal counts. */
function notFoundAfter({ kind, pollState, reading, advance }: SettledParts): Date | null {
  const { kind: seen, observedAt } = reading.observation;
  if (kind === 'stale' || seen === 'incomplete') return pollState.notFoundSince;
  if (seen === 'complete') return null;
  const isGone = kind === 'incomplete' || advance?.confirmed.some(({ suspicion }) => isRemovalOfArtist(suspicion));
  return pollState.notFoundSince ?? (isGone ? observedAt : null);
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
      isNotFound: notFoundAfter(parts) !== null,
    },
    context.settings,
  );
  if (reading.source === 'poll' || next === null || pollState.nextPollAt === null) return next;
  // Looks, and what others report, do not stand in for our polls; they only bring the next one forward.
  return new Date(Math.min(next.getTime(), pollState.nextPollAt.getTime()));
}

function purposeOfNext({ kind, pollState, advance = null }: SettledParts): ScheduleQuestion['purpose'] {
  switch (kind) {
    case 'baseline':
      return 'learn';
    case 'unchanged':
      return 'usual';
    case 'compared':
      return advance?.nextCheckAt == null ? 'usual' : 'confirm';
    case 'incomplete':
    case 'stale':
      return pollState.hasSuspicions ? 'confirm' : 'usual';
  }
}
