/**
 * Decides when a difference becomes a change that customers receive (docs/reference/detection.md).
 *
 *                        counts                       counts, and enough of them
 *     (nothing) ─────────────────► suspected ◄──┐ ───────────────────────────────► confirmed
 *         │                          │  │  └────┘
 *         │ direct read: alive       │  │   counts: one more observation
 *         ▼                          │  │
 *     (nothing)                      │  └── direct read: alive ──────────────────► dismissed (alive)
 *                                    ├───── contradicted by a later observation ─► dismissed (back, superseded)
 *                                    └───── another confirmed change ends it ────► dismissed (overtaken)
 *
 * Under rule `absence`, an observation counts if it is complete and the direct read is `gone` or `moved`. Under
 * `repetition`, two complete observations in a row confirm a difference.
 *
 * An observation that is unclear, incomplete or already processed neither counts nor contradicts, so processing one twice
 * is harmless.
 */

import type { Observation } from '../catalogue.js';
import { type Difference, idsOf, isReplacement } from '../change/difference.js';
import { additionIn } from '../comparison/release-comparison.js';
import type { BaselineState } from './baseline.js';
import { settleBaseline } from './baseline-update.js';
import { brakedKeys } from './brake.js';
import { affectedIds, visibilityOf } from './difference-visibility.js';
import type { DifferenceRead } from './direct-reads.js';
import type { FollowersOfDay } from './followers-trend.js';
import { isReleased, type NeededEvidence, provenPart, type Suspicion, type SuspicionObservation } from './suspicion.js';
import {
  addUncounted,
  type BrakeKind,
  type DirectRead,
  type DismissalReason,
  type UncountedReason,
} from './suspicion-note.js';

export interface ConfirmationSettings extends NeededEvidence {
  /** The poll interval while a change is suspected. */
  readonly intervalMs: number;
}

export interface AdvanceInput {
  readonly baseline: BaselineState;
  readonly observation: Observation;
  readonly suspicions: readonly Suspicion[];
  readonly differences: readonly Difference[];
  /** Results by difference key. An observation of a missing artist already includes its direct reads. */
  readonly directReads: ReadonlyMap<string, DifferenceRead>;
  readonly fleetBrakes: boolean;
  readonly snapshotId: string | null;
  readonly followersHistory: readonly FollowersOfDay[];
  readonly settings: ConfirmationSettings;
}

export interface Confirmation {
  readonly suspicion: Suspicion;
  readonly detectedAt: Date;
  readonly confirmedAt: Date;
}

export interface Dismissal {
  readonly suspicion: Suspicion;
  readonly reason: DismissalReason;
}

export interface Advance {
  readonly opened: readonly Suspicion[];
  readonly strengthened: readonly Suspicion[];
  readonly noted: readonly Suspicion[];
  /** Some of these never appeared in `opened`, because a single observation can be enough. */
  readonly confirmed: readonly Confirmation[];
  readonly dismissed: readonly Dismissal[];
  readonly newlyBraked: readonly Suspicion[];
  /** The artist must be polled by this time. Null if nothing is suspected. */
  readonly nextCheckAt: Date | null;
  readonly baseline: BaselineState;
}

export function advance(input: AdvanceInput): Advance {
  const { observation, suspicions, differences } = input;
  const draft = new Draft(input);
  if (observation.kind === 'incomplete') {
    for (const suspicion of suspicions) draft.note(suspicion, 'incomplete', observation.reason);
    return draft.finish(input.baseline, suspicions.length);
  }

  const found = new Map([...differences, ...unpairedAdditions(input)].map((one) => [one.key, one]));
  const notFound: Suspicion[] = [];
  let waiting = 0;
  for (const suspicion of suspicions) {
    const difference = found.get(suspicion.key);
    found.delete(suspicion.key);
    if (observation.observedAt <= lastProcessedAt(suspicion)) waiting += 1;
    else if (difference === undefined) notFound.push(suspicion);
    else if (!draft.weigh(suspicion, difference) && draft.isFresh(suspicion)) waiting += 1;
  }
  for (const difference of found.values()) {
    // An unclear observation doesn't open a suspicion, but the artist is polled again soon.
    if (!draft.weigh(null, difference)) waiting += 1;
  }

  const confirmed = draft.confirmed.map(({ suspicion }) => suspicion.difference);
  const baseline = settleBaseline({ ...input, observation, confirmed });
  for (const suspicion of notFound) {
    const visibility = visibilityOf(suspicion.difference, baseline, observation);
    if (visibility === 'unseen') {
      if (draft.isFresh(suspicion)) waiting += 1;
      draft.note(suspicion, 'not_looked_at', null);
    } else draft.dismiss(suspicion, dismissalReason(visibility, suspicion, differences), 'not_asked');
  }
  return draft.finish(baseline, waiting);
}

/** If the old release still exists, the new one is an addition. */
function unpairedAdditions({ baseline, differences, directReads }: AdvanceInput): Difference[] {
  const removedBefore = new Set(baseline.removed.map(({ platformId }) => platformId));
  return differences
    .filter(({ type, key }) => {
      const read = directReads.get(key);
      return type === 'release_replaced' && (read === 'alive' || read === 'relinked');
    })
    .map((replacement) => additionIn(replacement, removedBefore));
}

function dismissalReason(
  visibility: 'contradicted' | 'overtaken',
  { difference }: Suspicion,
  differences: readonly Difference[],
): DismissalReason {
  if (visibility === 'overtaken') return 'overtaken';
  // A different change to the same entity supersedes the suspicion.
  const ids = subjectsOf(difference);
  const superseded = differences.some(
    (other) =>
      (other.type === difference.type ||
        areAbsences(other, difference) ||
        isReplacement(other) ||
        isReplacement(difference)) &&
      other.releaseId === difference.releaseId &&
      subjectsOf(other).some((id) => ids.includes(id)),
  );
  return superseded ? 'superseded' : 'back';
}

function areAbsences(...both: readonly Difference[]): boolean {
  return [
    ['release_removed', 'release_moved'],
    ['artist_removed', 'artist_merged'],
  ].some((absences) => both.every(({ type }) => absences.includes(type)));
}

function subjectsOf(difference: Difference): readonly string[] {
  return affectedIds(difference) ?? idsOf(difference);
}

const DIRECT_READ_BY_KIND = {
  artist_gone: 'gone',
  artist_merged: 'moved',
  complete: 'not_asked',
  incomplete: 'not_asked',
} as const satisfies Record<Observation['kind'], DirectRead>;

/**
 * After this many intervals without an observation (by default, one day), a suspicion no longer triggers early polls.
 */
const MAX_SOON_INTERVALS = 144;

class Draft {
  readonly opened: Suspicion[] = [];
  readonly strengthened: Suspicion[] = [];
  readonly noted: Suspicion[] = [];
  readonly confirmed: Confirmation[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly newlyBraked: Suspicion[] = [];
  readonly #input: AdvanceInput;
  readonly #held: ReadonlyMap<string, BrakeKind>;

  constructor(input: AdvanceInput) {
    this.#input = input;
    const missing = input.differences.filter(({ key }) => input.directReads.get(key) !== 'alive');
    this.#held = brakedKeys(input.baseline, missing, input.fleetBrakes);
  }

  isFresh(suspicion: Suspicion): boolean {
    const { observation, settings } = this.#input;
    return +observation.observedAt - +lastObservation(suspicion).observedAt <= MAX_SOON_INTERVALS * settings.intervalMs;
  }

  /** Returns false if the observation is unclear, and polling the artist again soon may help. */
  weigh(before: Suspicion | null, difference: Difference): boolean {
    const { observation, directReads } = this.#input;
    const requested = directReads.get(difference.key);
    if (difference.rule === 'repetition') {
      if (before !== null && this.#mayReplace(difference)) {
        this.note(before, 'not_looked_at', null);
        return false;
      }
      this.#count(before, difference, 'not_asked');
      return true;
    }
    const read = requested ?? DIRECT_READ_BY_KIND[observation.kind];
    switch (read) {
      case 'gone':
      case 'moved':
        this.#count(before, difference, read);
        return true;
      case 'alive':
        if (before !== null) this.dismiss(before, 'alive', 'alive');
        return true;
      case 'unknown':
      case 'not_asked':
      case 'relinked':
        if (before !== null) this.note(before, 'direct_read_unclear', read);
        return read === 'relinked';
    }
  }

  /** Returns true if the added release could be a replacement, but no detailed read has shown what it replaces. */
  #mayReplace({ type, entityId }: Difference): boolean {
    const { observation, differences, directReads } = this.#input;
    if (observation.kind !== 'complete' || (type !== 'release_added' && type !== 'release_restored')) return false;
    const release = observation.state.releases.find(({ platformId }) => platformId === entityId);
    if (release === undefined || release.upc !== undefined || release.tracks !== undefined) return false;
    return differences.some((other) => other.type === 'release_removed' && directReads.get(other.key) === 'gone');
  }

  note(suspicion: Suspicion, why: UncountedReason, detail: string | null): void {
    const { observation, snapshotId } = this.#input;
    const reading = { at: observation.observedAt, why, detail, snapshotId };
    const notes = addUncounted(suspicion.notes, reading, lastObservation(suspicion).observedAt);
    if (notes !== suspicion.notes) this.noted.push({ ...suspicion, notes });
  }

  dismiss(suspicion: Suspicion, why: DismissalReason, directRead: DirectRead): void {
    const { observation, snapshotId } = this.#input;
    const note = { kind: 'contradicted', at: observation.observedAt, why, directRead, snapshotId } as const;
    this.dismissed.push({ suspicion: { ...suspicion, notes: [...suspicion.notes, note] }, reason: why });
  }

  #count(before: Suspicion | null, difference: Difference, directRead: DirectRead): void {
    const { settings, observation, snapshotId } = this.#input;
    const { observedAt } = observation;
    const counted: SuspicionObservation = {
      observedAt,
      paths: { listMissing: true, directRead },
      seen: difference.after,
      snapshotId,
    };
    const brake = before !== null && (before.held || isReleased(before)) ? undefined : this.#held.get(difference.key);
    const notes = before?.notes ?? [];
    const suspicion: Suspicion = {
      key: difference.key,
      difference,
      observations: before === null ? [counted] : [...before.observations, counted],
      held: before?.held === true || brake !== undefined,
      notes: brake === undefined ? notes : [...notes, { kind: 'held', at: observedAt, by: brake }],
    };
    const proven = provenPart(suspicion, settings);
    if (proven !== null) {
      const [first] = suspicion.observations;
      this.confirmed.push({ suspicion: proven, detectedAt: first.observedAt, confirmedAt: observedAt });
      return;
    }
    (before === null ? this.opened : this.strengthened).push(suspicion);
    if (suspicion.held && before?.held !== true) this.newlyBraked.push(suspicion);
  }

  finish(baseline: BaselineState, waiting: number): Advance {
    const { opened, strengthened, noted, confirmed, dismissed, newlyBraked } = this;
    const { observation, settings } = this.#input;
    const isOpen = waiting + opened.length + strengthened.length > 0;
    const nextCheckAt = isOpen ? new Date(observation.observedAt.getTime() + settings.intervalMs) : null;
    return { opened, strengthened, noted, confirmed, dismissed, newlyBraked, nextCheckAt, baseline };
  }
}

function lastObservation({ observations }: Suspicion): SuspicionObservation {
  return observations.at(-1) ?? observations[0];
}

function lastProcessedAt(suspicion: Suspicion): Date {
  return suspicion.notes.reduce(
    (last, note) => (note.kind === 'not_counted' && note.lastAt > last ? note.lastAt : last),
    lastObservation(suspicion).observedAt,
  );
}
