import type { IncompleteCause, Observation } from '@artist-watch/domain/catalogue';
import { type BaselineState, serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import type { Advance, Confirmation } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { SuspicionNote } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistDetection, IgnoredChange, PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { SettlementRows } from '@artist-watch/persistence/polling/settlement-writes';
import type { SnapshotWrite } from '@artist-watch/persistence/snapshot-store';
import { nextPollAt, type ScheduleQuestion } from '../polling/schedule.js';
import type { ArtistObservation, DetectionContext } from './artist-observation.js';
import { changeRows } from './change-rows.js';
import { isFirstOfDay, readMetrics } from './observed-metrics.js';

export interface ObservationSettlement {
  /**
   * `unchanged`: not compared, because the digest is the same. `stale`: ignored, because a later observation was
   * already processed.
   */
  readonly kind: 'baseline' | 'unchanged' | 'compared' | 'incomplete' | 'stale';
  readonly advance: Advance | null;
  readonly rows: SettlementRows;
}

export interface ProcessedObservation {
  readonly reading: ArtistObservation;
  readonly settlement: ObservationSettlement;
}

export interface ObservationIntake {
  /**
   * Decides the effects of an observation and writes them in one transaction. An observation may be processed twice.
   */
  process(reading: ArtistObservation): Promise<ProcessedObservation>;
}

export interface SettledParts {
  readonly kind: ObservationSettlement['kind'];
  readonly pollState: PollState;
  readonly detection: ArtistDetection | null;
  readonly reading: ArtistObservation;
  readonly context: DetectionContext;
  readonly advance?: ObservationSettlement['advance'];
  /** Default: the baseline stays. */
  readonly baseline?: BaselineState | null;
  /** An empty digest clears the stored one. Default: the stored digest stays. */
  readonly digest?: Buffer | null;
  readonly snapshot?: SnapshotWrite['content'] | null;
  /** Changes that an operator dismissed and that the platform no longer shows. */
  readonly endedIgnores?: readonly IgnoredChange[];
}

export function settled(parts: SettledParts): ObservationSettlement {
  const { kind, pollState, detection, reading, context, advance = null, baseline = null, endedIgnores = [] } = parts;
  const { digest = null, snapshot = null } = parts;
  const { snapshotId, now } = context;
  const { observation, source } = reading;
  const { observedAt } = observation;
  const artistId = pollState.id;
  const isConclusive = kind === 'baseline' || kind === 'unchanged' || kind === 'compared';
  const isPoll = source !== 'ingested';
  const metrics = isConclusive ? readMetrics(observation) : null;
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
    endedIgnores: endedIgnores.map(({ id }) => ({
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

/** If the artist has a baseline, only a confirmed removal counts. */
function notFoundAfter({ kind, pollState, reading, advance }: SettledParts): Date | null {
  const { kind: seen, observedAt } = reading.observation;
  if (kind === 'stale' || seen === 'incomplete') return pollState.notFoundSince;
  if (seen === 'complete' || seen === 'artist_merged') return null;
  const isGone = kind === 'incomplete' || advance?.confirmed.some(({ suspicion }) => isRemovalOfArtist(suspicion));
  return pollState.notFoundSince ?? (isGone ? observedAt : null);
}

/** If the artist has a baseline, only a confirmed merge counts. */
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
      purpose: nextPurpose(parts),
      incompletePolls,
      isNotFound: notFoundAfter(parts) !== null || mergedAfter(parts) !== null,
    },
    context.settings,
  );
  if (reading.source === 'poll' || next === null || pollState.nextPollAt === null) return next;
  // Detailed reads and reported snapshots can only make the next poll earlier.
  return new Date(Math.min(next.getTime(), pollState.nextPollAt.getTime()));
}

/** True if the next poll must read the details of releases that the new baseline only lists. */
function learnsNext({ kind, baseline }: SettledParts): boolean {
  return kind === 'baseline' && baseline != null && baseline.releases.length > 0;
}

function nextPurpose(parts: SettledParts): ScheduleQuestion['purpose'] {
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
 * Returns the content to store, or null if the observation affects neither a suspicion nor the baseline.
 *
 * @param baseline the baseline before the observation.
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
