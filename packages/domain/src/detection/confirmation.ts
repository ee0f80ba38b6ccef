/**
 * How a difference becomes a change that is reported to customers (docs/reference/detection.md).
 *
 *                        counts                       counts, and enough of them
 *     (nothing) ─────────────────► suspected ◄──┐ ───────────────────────────────► confirmed
 *         │                          │  │  └────┘
 *         │ direct read: alive       │  │   counts: one observation more
 *         ▼                          │  │
 *     (nothing)                      │  └── direct read: alive ──────────────────► dismissed (alive)
 *                                    ├───── contradicted by a later observation ─► dismissed (back, superseded)
 *                                    └───── something confirmed makes it moot ───► dismissed (overtaken)
 *
 * An observation counts
 * - under rule `absence` (R), when the difference shows in the complete reading and the direct read says gone: two paths.
 *   Enough are `observations` of them over at least `spanMs`; while the brake holds it, more of both;
 * - under rule `repetition`, when the difference shows in the complete reading. Enough are two in a row.
 * A change of availability for many releases needs that much for each of them, see proven-part.ts.
 *
 * It neither counts nor contradicts when the direct read is not clear, when the observation did not look at what the
 * difference is about, or when a release that came may be the replacement of one that went and was not read closely. An incomplete observation changes nothing, and neither does one that is not newer than the last
 * that counted, so processing the same observation twice is harmless. What does not count is noted all the same.
 *
 * What the brake holds, an operator may release: then the usual number is enough again, at once where it is there
 * already (`release`); or dismiss, see difference-visibility.ts.
 */

import type { Observation } from '../catalogue.js';
import { type Difference, idsOf, isReplacement } from '../change/difference.js';
import { additionIn } from '../comparison/release-comparison.js';
import type { BaselineState } from './baseline.js';
import { settleBaseline } from './baseline-update.js';
import { heldKeys } from './brake.js';
import { affectedIds, visibilityOf } from './difference-visibility.js';
import type { ReadOfDifference } from './direct-reads.js';
import type { FollowersOfDay } from './followers-trend.js';
import { type NeededEvidence, provenPart } from './proven-part.js';
import { isReleased, type Suspicion, type SuspicionObservation } from './suspicion.js';
import {
  type BrakeKind,
  type DirectRead,
  type DismissalReason,
  type UncountedReason,
  withUncounted,
} from './suspicion-note.js';

/** What rule `absence` needs, from 1 observation on … */
export interface ConfirmationSettings extends NeededEvidence {
  /** … and how soon an artist is looked at again while something is suspected. */
  readonly intervalMs: number;
}

export interface AdvanceInput {
  /** Before this observation is taken over into it. */
  readonly baseline: BaselineState;
  readonly observation: Observation;
  /** The open suspicions of this artist. */
  readonly suspicions: readonly Suspicion[];
  /** What `findDifferences` gave for these three. */
  readonly differences: readonly Difference[];
  /**
   * The result of `directReadsOf`, by key of the difference. An `artist_gone` or `artist_merged` observation includes its own
   * direct requests.
   */
  readonly directReads: ReadonlyMap<string, ReadOfDifference>;
  /** Removals touch so many artists that all of them are held, see `fleetBrake`. */
  readonly fleetBrakes: boolean;
  /** The snapshot in which this observation is kept, for the record of those who ask; null where it is not. */
  readonly snapshotId: string | null;
  readonly followersHistory: readonly FollowersOfDay[];
  readonly settings: ConfirmationSettings;
}

export interface Confirmation {
  readonly suspicion: Suspicion;
  /** The first observation that counted. */
  readonly detectedAt: Date;
  /** The last one. */
  readonly confirmedAt: Date;
}

export interface Dismissal {
  readonly suspicion: Suspicion;
  readonly reason: DismissalReason;
}

export interface Advance {
  readonly opened: readonly Suspicion[];
  /** One observation more than before. Those that are not mentioned at all stay as they are. */
  readonly strengthened: readonly Suspicion[];
  /** No observation more, but a note of why this one did not count. */
  readonly noted: readonly Suspicion[];
  /** May hold one that was never open, where one observation is enough. */
  readonly confirmed: readonly Confirmation[];
  readonly dismissed: readonly Dismissal[];
  /** Those of `opened` and `strengthened` that the brake has just begun to hold: raise an alert. */
  readonly newlyHeld: readonly Suspicion[];
  /** When the artist is to be looked at again at the latest; null when nothing is suspected. */
  readonly nextCheckAt: Date | null;
  /**
   * What was confirmed is taken over, what was unknown is learned. The very object that came in when nothing of that
   * happened, so that the write can be spared.
   */
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
    if (observation.observedAt <= lastOf(suspicion).observedAt) waiting += 1;
    else if (difference === undefined) notFound.push(suspicion);
    else if (!draft.weigh(suspicion, difference) && draft.isFresh(suspicion)) waiting += 1;
  }
  for (const difference of found.values()) {
    // Nothing is opened on one path alone, but it is looked at again soon.
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

/** Of a release that was taken for the replacement of one that is there still, or became another: it is simply a new one. */
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
  // The same thing became something else: a third title, or a removal that turns out to be a replacement.
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

/** A removal and a move of one release, or a removal and a merge of one artist. */
function areAbsences(...both: readonly Difference[]): boolean {
  return [
    ['release_removed', 'release_moved'],
    ['artist_removed', 'artist_merged'],
  ].some((absences) => both.every(({ type }) => absences.includes(type)));
}

function subjectsOf(difference: Difference): readonly string[] {
  return affectedIds(difference) ?? idsOf(difference);
}

/** Observations of the artist itself include the direct requests. */
const READ_OF_ARTIST = {
  artist_gone: 'gone',
  artist_merged: 'moved',
  complete: 'not_asked',
  incomplete: 'not_asked',
} as const satisfies Record<Observation['kind'], DirectRead>;

/** A day, at the usual pace: whatever has kept every observation since from counting will not pass soon. */
const MOST_SOON_LOOKS = 144;

/** Collects what one observation does to the suspicions. */
class Draft {
  readonly opened: Suspicion[] = [];
  readonly strengthened: Suspicion[] = [];
  readonly noted: Suspicion[] = [];
  readonly confirmed: Confirmation[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly newlyHeld: Suspicion[] = [];
  readonly #input: AdvanceInput;
  readonly #held: ReadonlyMap<string, BrakeKind>;

  constructor(input: AdvanceInput) {
    this.#input = input;
    const missing = input.differences.filter(({ key }) => input.directReads.get(key) !== 'alive');
    this.#held = heldKeys(input.baseline, missing, input.fleetBrakes);
  }

  /** Whether it is looked at again soon; at the usual time where no observation has counted for long. */
  isFresh(suspicion: Suspicion): boolean {
    const { observation, settings } = this.#input;
    return +observation.observedAt - +lastOf(suspicion).observedAt <= MOST_SOON_LOOKS * settings.intervalMs;
  }

  /** False when the observation says nothing of the difference, and another one soon may. */
  weigh(before: Suspicion | null, difference: Difference): boolean {
    const { observation, directReads } = this.#input;
    const asked = directReads.get(difference.key);
    if (difference.rule === 'repetition') {
      if (before !== null && this.#mayReplace(difference)) {
        this.note(before, 'not_looked_at', null);
        return false;
      }
      this.#count(before, difference, 'not_asked');
      return true;
    }
    const read = asked ?? READ_OF_ARTIST[observation.kind];
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

  /** A release came while another one went, and was not read closely enough to tell whether it is the same. */
  #mayReplace({ type, entityId }: Difference): boolean {
    const { observation, differences, directReads } = this.#input;
    if (observation.kind !== 'complete' || (type !== 'release_added' && type !== 'release_restored')) return false;
    const release = observation.state.releases.find(({ platformId }) => platformId === entityId);
    if (release === undefined || release.upc !== undefined || release.tracks !== undefined) return false;
    return differences.some((other) => other.type === 'release_removed' && directReads.get(other.key) === 'gone');
  }

  /** The observation says nothing of the suspicion; that it was made is kept. */
  note(suspicion: Suspicion, why: UncountedReason, detail: string | null): void {
    const { observation, snapshotId } = this.#input;
    const reading = { at: observation.observedAt, why, detail, snapshotId };
    const notes = withUncounted(suspicion.notes, reading, lastOf(suspicion).observedAt);
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
    if (suspicion.held && before?.held !== true) this.newlyHeld.push(suspicion);
  }

  finish(baseline: BaselineState, waiting: number): Advance {
    const { opened, strengthened, noted, confirmed, dismissed, newlyHeld } = this;
    const { observation, settings } = this.#input;
    const isOpen = waiting + opened.length + strengthened.length > 0;
    const nextCheckAt = isOpen ? new Date(observation.observedAt.getTime() + settings.intervalMs) : null;
    return { opened, strengthened, noted, confirmed, dismissed, newlyHeld, nextCheckAt, baseline };
  }
}

function lastOf({ observations }: Suspicion): SuspicionObservation {
  return observations.at(-1) ?? observations[0];
}
