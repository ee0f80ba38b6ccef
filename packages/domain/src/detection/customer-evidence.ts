/** Explains a change to customers without mentioning operators, internal errors or other accounts. */
import { type ChangeValue, changeValues } from '../change/change-value.js';
import { countedSentence } from './evidence.js';
import type { Suspicion, SuspicionObservation } from './suspicion.js';
import type { DirectRead, SuspicionNote, UncountedReason } from './suspicion-note.js';

export interface CustomerReading {
  /** `list`: the complete list or entity was read. `direct`: the entity was requested by its id. */
  readonly read: 'list' | 'direct';
  readonly said: 'missing' | 'changed' | 'present' | 'gone' | 'unclear';
}

export interface CustomerObservation {
  readonly observedAt: Date;
  readonly kind: 'counted' | 'not_counted' | 'held';
  readonly text: string;
  readonly readings: readonly CustomerReading[];
  readonly seen: ChangeValue | null;
}

/** Oldest first. */
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
  moved: [{ read: 'direct', said: 'changed' }],
  alive: [{ read: 'direct', said: 'present' }],
  unknown: [{ read: 'direct', said: 'unclear' }],
  not_asked: [],
};

/** Customers do not see operators' decisions. */
function noted(note: SuspicionNote): CustomerObservation[] {
  const { kind, at: observedAt } = note;
  if (kind === 'held') return [{ observedAt, kind, text: HELD, readings: [], seen: null }];
  if (kind !== 'not_counted') return [];
  const text =
    note.times === 1
      ? `A check ${UNCOUNTED[note.why]}. It does not count.`
      : `${note.times} checks ${UNCOUNTED[note.why]}. They do not count.`;
  return [{ observedAt, kind, text, readings: [], seen: null }];
}

const UNCOUNTED: Readonly<Record<UncountedReason, string>> = {
  incomplete: 'could not be compared, because not everything could be read',
  direct_read_unclear: 'showed the change, but opening the entry directly gave no clear response',
  not_looked_at: 'did not read enough detail to confirm or rule out the change',
};

/** Customers must not learn that other accounts' artists caused the brake. */
const HELD = 'Too much was missing at once, so we waited for more checks over a longer time.';
