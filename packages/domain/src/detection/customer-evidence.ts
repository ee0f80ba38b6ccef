/**
 * "How do you know?" for a customer: the observations behind a confirmed change, in plain sentences. Nothing of it names
 * an operator, a snapshot or a fault of ours, and nothing names other accounts, as the cause of the brake would.
 */
import { type ChangeValue, changeValues } from '../change/change-value.js';
import { countedSentence } from './evidence.js';
import type { Suspicion, SuspicionObservation } from './suspicion.js';
import type { DirectRead, SuspicionNote, UncountedReason } from './suspicion-note.js';

/** One of the two paths of an observation, and what the platform said on it. */
export interface CustomerReading {
  /** `list`: the complete reading of a list or of an entity. `direct`: the entity asked for by its own id. */
  readonly read: 'list' | 'direct';
  readonly said: 'missing' | 'changed' | 'present' | 'gone' | 'unclear';
}

export interface CustomerObservation {
  readonly observedAt: Date;
  /** Only `counted` observations count towards the change. */
  readonly kind: 'counted' | 'not_counted' | 'held';
  readonly text: string;
  /** Empty where nothing was read. */
  readonly readings: readonly CustomerReading[];
  /** What was there in place of `before`; null where nothing was. */
  readonly seen: ChangeValue | null;
}

/** In the order of time. */
export function customerEvidence(suspicion: Omit<Suspicion, 'key' | 'held'>): CustomerObservation[] {
  const { observations, notes } = suspicion;
  const all = [...observations.map((one) => counted(one, suspicion)), ...notes.flatMap(noted)];
  return all.sort((a, b) => a.observedAt.getTime() - b.observedAt.getTime());
}

type Subject = Pick<Suspicion, 'difference'>;

function counted({ observedAt, paths, seen }: SuspicionObservation, { difference }: Subject): CustomerObservation {
  const isAbsence = difference.rule === 'absence';
  const list = paths.listMissing ? (isAbsence ? 'missing' : 'changed') : 'present';
  return {
    observedAt,
    kind: 'counted',
    text: countedSentence(difference, paths.directRead, seen),
    readings: [{ read: 'list', said: list }, ...DIRECT_READINGS[paths.directRead]],
    seen: seen === null ? null : changeValues({ ...difference, after: seen }).after,
  };
}

const DIRECT_READINGS: Readonly<Record<DirectRead, readonly CustomerReading[]>> = {
  gone: [{ read: 'direct', said: 'gone' }],
  alive: [{ read: 'direct', said: 'present' }],
  unknown: [{ read: 'direct', said: 'unclear' }],
  not_asked: [],
};

/** Decisions of operators, and what is said of changes that are not confirmed, are not for customers. */
function noted(note: SuspicionNote): CustomerObservation[] {
  const { kind, at: observedAt } = note;
  if (kind === 'held') return [{ observedAt, kind, text: HELD, readings: [], seen: null }];
  if (kind !== 'not_counted') return [];
  const repeated = note.times === 1 ? '' : ` The same of ${note.times} readings in all.`;
  const text = `A reading ${UNCOUNTED[note.why]}. It does not count.${repeated}`;
  return [{ observedAt, kind, text, readings: [], seen: null }];
}

const UNCOUNTED: Readonly<Record<UncountedReason, string>> = {
  incomplete: 'was not complete, and so was not compared',
  direct_read_unclear: 'showed it, but asked for the entity itself the platform gave no clear answer',
  not_looked_at: 'did not look at this closely enough to tell',
};

/** One sentence for both brakes: the one on many artists at once speaks of artists that others watch. */
const HELD = 'So much was missing at once that more observations over a longer time were asked for.';
