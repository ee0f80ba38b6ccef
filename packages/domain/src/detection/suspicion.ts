import { CHANGE_TYPES, type DetectedChangeType, ENTITY_TYPES, SEVERITIES } from '../change/change-types.js';
import type { Difference, JsonValue } from '../change/difference.js';
import { JsonReader, readFlag, readText } from './json-reader.js';
import { DIRECT_READS, type DirectRead, readNote, type SuspicionNote } from './suspicion-note.js';

/** An observation that counts toward a suspicion. Accounts can see it later as evidence. */
export interface SuspicionObservation {
  readonly observedAt: Date;
  readonly paths: {
    /** True if the difference is in the complete list or entity. */
    readonly listMissing: boolean;
    readonly directRead: DirectRead;
  };
  /** The value that replaced the baseline's value. Null if there was none. */
  readonly seen: JsonValue;
  /** The snapshot that stores the observation. Null for observations that an older version stored. */
  readonly snapshotId: string | null;
}

/** A difference that is not confirmed yet. */
export interface Suspicion {
  readonly key: string;
  /** The difference as seen in the latest observation that counts. */
  readonly difference: Difference;
  /** The observations that count, oldest first. */
  readonly observations: readonly [SuspicionObservation, ...SuspicionObservation[]];
  /**
   * True while the brake on mass removals applies. The brake ends with the suspicion, or when an operator releases it.
   */
  readonly held: boolean;
  /** Other events in the history of the suspicion, oldest first. */
  readonly notes: readonly SuspicionNote[];
}

/** True if an operator has released the brake on the suspicion. */
export function isReleased({ notes }: Suspicion): boolean {
  return notes.some(({ kind }) => kind === 'released');
}

/** Parses a suspicion that is stored as three JSON columns and a flag. @throws {UnreadableRecordError} */
export function parseSuspicion(stored: {
  readonly difference: unknown;
  readonly observations: unknown;
  readonly notes: unknown;
  readonly held: boolean;
}): Suspicion {
  const difference = parseDifference(stored.difference);
  const observations = parseObservations(stored.observations);
  return { key: difference.key, difference, observations, held: stored.held, notes: parseNotes(stored.notes) };
}

/** @throws {UnreadableRecordError} */
export function parseNotes(value: unknown): SuspicionNote[] {
  return new JsonReader(value, 'notes').list(readNote);
}

export function parseDifference(value: unknown): Difference {
  const reader = new JsonReader(value, 'difference');
  return {
    key: reader.at('key').text(),
    type: reader.at('type').oneOf(Object.keys(CHANGE_TYPES) as DetectedChangeType[]),
    rule: reader.at('rule').oneOf(['absence', 'repetition']),
    severity: reader.at('severity').oneOf(SEVERITIES),
    entityType: reader.at('entityType').oneOf(ENTITY_TYPES),
    entityId: reader.at('entityId').text(),
    entityName: reader.at('entityName').text(),
    releaseId: reader.at('releaseId').maybe(readText) ?? null,
    releaseName: reader.at('releaseName').maybe(readText) ?? null,
    before: reader.at('before').json(),
    after: reader.at('after').json(),
    ...(reader.at('unsteady').maybe(readFlag) && { unsteady: true }),
  };
}

/**
 * Parses stored observations. @throws {UnreadableRecordError} if the value is not a list with at least one observation
 */
export function parseObservations(value: unknown): Suspicion['observations'] {
  const reader = new JsonReader(value, 'observations');
  return reader.nonEmptyList((observation) => ({
    observedAt: observation.at('observedAt').instant(),
    paths: {
      listMissing: observation.at('paths').at('listMissing').flag(),
      directRead: observation.at('paths').at('directRead').oneOf(DIRECT_READS),
    },
    seen: observation.at('seen').json(),
    snapshotId: observation.at('snapshotId').maybe(readText) ?? null,
  }));
}
