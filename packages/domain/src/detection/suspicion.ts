import { CHANGE_TYPES, type DetectedChangeType, ENTITY_TYPES, SEVERITIES } from '../change/change-types.js';
import type { Difference, JsonValue } from '../change/difference.js';
import { JsonReader, readFlag, readText } from './json-reading.js';
import { DIRECT_READS, type DirectRead, readNote, type SuspicionNote } from './suspicion-note.js';

/** One observation that counts towards a suspicion: the evidence that an account can be shown later. */
export interface SuspicionObservation {
  readonly observedAt: Date;
  readonly paths: {
    /** The complete list, or the complete reading, shows the difference. */
    readonly listMissing: boolean;
    readonly directRead: DirectRead;
  };
  /** What was there in place of what the baseline holds; null where nothing was. */
  readonly seen: JsonValue;
  /** The snapshot that keeps the whole reading; null for observations of older versions, which did not say. */
  readonly snapshotId: string | null;
}

/** A difference that was seen and is not yet believed. */
export interface Suspicion {
  readonly key: string;
  /** As the latest counted observation showed it. */
  readonly difference: Difference;
  /** Only those that count, oldest first; at least one. */
  readonly observations: readonly [SuspicionObservation, ...SuspicionObservation[]];
  /** Kept back by the brake on mass removals; once held, held until it is settled or an operator releases it. */
  readonly held: boolean;
  /** What else happened to it, oldest first. */
  readonly notes: readonly SuspicionNote[];
}

/** An operator has decided that the brake holds it no more. */
export function isReleased({ notes }: Suspicion): boolean {
  return notes.some(({ kind }) => kind === 'released');
}

/** A suspicion from what is stored of it: three JSON columns and a flag. @throws {UnreadableRecordError} */
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

/** @throws {UnreadableRecordError} for anything but a list with an observation in it. */
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
