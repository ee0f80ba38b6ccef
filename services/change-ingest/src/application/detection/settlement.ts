import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import type { IncompleteCause, Observation } from '@artist-watch/domain/catalogue';
import { changeValues } from '@artist-watch/domain/change/change-value';
import { summarise } from '@artist-watch/domain/change/summary';
import { type BaselineState, serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import type { Advance, Confirmation } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { SuspicionNote } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistDetection, IgnoredChange, PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { ChangeWrite, SettlementRows } from '@artist-watch/persistence/polling/settlement-writes';
import type { SnapshotWrite } from '@artist-watch/persistence/snapshot-store';
import { newId } from '@artist-watch/runtime/ids';
import { nextPollAt, type ScheduleQuestion } from '../polling/schedule.js';
import { type ArtistObservation, type DetectionContext, isFirstOfDay, readMetrics } from './artist-observation.js';

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
   * Decides what an observation changes, and writes the result in one transaction. It is safe to process an observation
   * twice.
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
  /** If omitted, the baseline stays as it is. */
  readonly baseline?: BaselineState | null;
  /** An empty digest clears the stored one. If omitted, the stored digest stays as it is. */
  readonly digest?: Buffer | null;
  readonly snapshot?: SnapshotWrite['content'] | null;
  /** Changes that an operator dismissed, and that the platform no longer shows. */
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
  const missedPolls = kind === 'incomplete' && source === 'poll' ? 1 : 0;
  const incompletePolls = isConclusive ? 0 : pollState.incompletePolls + missedPolls;
  const notFoundSince = notFoundAfter(parts);
  const mergedInto = mergedAfter(parts);
  // The new baseline only lists the releases, so the next poll must read their details.
  const learns = kind === 'baseline' && baseline !== null && baseline.releases.length > 0;
  const confirms = isConclusive ? advance !== null && advance.nextCheckAt !== null : pollState.hasSuspicions;
  const name = baseline?.artist.name ?? pollState.name;
  const rows: SettlementRows = {
    artist: {
      artistId,
      name,
      followers: followers ?? pollState.followers,
      monthlyListeners: monthlyListeners ?? pollState.monthlyListeners,
      metricsObservedAt: metrics === null ? pollState.metricsObservedAt : observedAt,
      nextPollAt: pollAfter(parts, {
        purpose: learns ? 'learn' : confirms ? 'confirm' : 'usual',
        incompletePolls,
        isNotFound: notFoundSince !== null || mergedInto !== null,
      }),
      lastPolledAt: isPoll ? observedAt : pollState.lastPolledAt,
      lastCompleteAt: isConclusive ? observedAt : pollState.lastCompleteAt,
      incompletePolls,
      incompleteCause: causeAfter(parts),
      notFoundSince,
      mergedInto,
      learning: learns || (pollState.learning && !(isConclusive && source === 'poll')),
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

function causeAfter({ kind, pollState, reading: { observation } }: SettledParts): IncompleteCause | null {
  if (kind === 'stale') return pollState.incompleteCause;
  return observation.kind === 'incomplete' ? observation.cause : null;
}

/**
 * Returns the time when the artist went missing, or null. If there is a baseline, the removal must be confirmed first.
 */
function notFoundAfter({ kind, pollState, reading, advance }: SettledParts): Date | null {
  const { kind: seen, observedAt } = reading.observation;
  if (kind === 'stale' || seen === 'incomplete') return pollState.notFoundSince;
  if (seen === 'complete' || seen === 'artist_merged') return null;
  const isRemoval = ({ suspicion }: Confirmation) => suspicion.difference.type === 'artist_removed';
  const isGone = kind === 'incomplete' || advance?.confirmed.some(isRemoval);
  return pollState.notFoundSince ?? (isGone ? observedAt : null);
}

/** Returns the replacement's platform id, or null. If there is a baseline, the merge must be confirmed first. */
function mergedAfter({ kind, pollState, reading: { observation }, advance }: SettledParts): string | null {
  if (kind === 'stale' || observation.kind === 'incomplete') return pollState.mergedInto;
  if (observation.kind === 'complete') return null;
  if (observation.kind === 'artist_merged') {
    const isMerge = ({ suspicion }: Confirmation) => suspicion.difference.type === 'artist_merged';
    if (kind === 'incomplete' || advance?.confirmed.some(isMerge)) return observation.into.platformId;
  }
  return pollState.mergedInto;
}

function pollAfter(
  { pollState, reading, context }: SettledParts,
  question: Omit<ScheduleQuestion, 'now' | 'planIntervalMs'>,
): Date | null {
  const { planIntervalMs } = pollState;
  const next = nextPollAt({ ...question, now: context.now, planIntervalMs }, context.settings);
  if (reading.source === 'poll' || next === null || pollState.nextPollAt === null) return next;
  // Detailed reads and reported snapshots can bring the next poll forward, but never delay it.
  return new Date(Math.min(next.getTime(), pollState.nextPollAt.getTime()));
}

/**
 * Returns the content to store, or null if the observation affects neither a suspicion nor the baseline.
 *
 * @param baseline the baseline from before the observation.
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

interface ChangedArtist {
  readonly pollState: PollState;
  readonly name: string;
  readonly detection: ArtistDetection | null;
  readonly observedAt: Date;
  readonly context: DetectionContext;
}

function changeRows(
  advance: Advance,
  { pollState, name, detection, observedAt, context }: ChangedArtist,
): ChangeWrite[] {
  const { id: artistId, platformId } = pollState;
  const { platform, traceparent, now } = context;
  const row = ({ key, difference, observations, notes, held }: Suspicion): ChangeWrite => ({
    id: detection?.suspicionIds.get(key) ?? newId('chg', now),
    artistId,
    artistName: name,
    state: held ? 'held' : 'suspected',
    type: difference.type,
    severity: difference.severity,
    entityType: difference.entityType,
    entityId: difference.entityId,
    entityName: difference.entityName,
    summary: summarise(difference, name, platform),
    detectedAt: observations[0].observedAt,
    confirmedAt: null,
    dismissedAt: null,
    dismissedReason: null,
    differenceKey: key,
    difference,
    observations,
    notes,
    webhookBody: null,
    traceparent: null,
  });
  return [
    ...[...advance.opened, ...advance.strengthened, ...advance.noted].map(row),
    ...advance.confirmed.map(({ suspicion, detectedAt, confirmedAt }): ChangeWrite => {
      const change = { ...row(suspicion), state: 'confirmed', detectedAt, confirmedAt, traceparent } as const;
      const artist = { id: artistId, platformId, name };
      // Every delivery attempt must send the same bytes.
      return {
        ...change,
        webhookBody: webhookBody({ ...change, platform, artist, ...changeValues(suspicion.difference) }),
      };
    }),
    ...advance.dismissed.map(
      ({ suspicion, reason }): ChangeWrite => ({
        ...row(suspicion),
        state: 'dismissed',
        dismissedAt: observedAt,
        dismissedReason: reason,
      }),
    ),
  ];
}
