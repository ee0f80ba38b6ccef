import { catalogueAvailability, narrowToReleases, parseAvailability } from '../change/catalogue-availability.js';
import { CHANGE_TYPES, type DetectedChangeType, ENTITY_TYPES, SEVERITIES } from '../change/change-types.js';
import type { Difference, JsonValue } from '../change/difference.js';
import { JsonReader } from './json-reader.js';
import { DIRECT_READS, type DirectRead, readNote, type SuspicionNote } from './suspicion-note.js';

/** An observation that counts toward a suspicion. Accounts can see it later as evidence. */
export interface SuspicionObservation {
  readonly observedAt: Date;
  readonly paths: {
    /** True if the complete list or entity shows the difference. */
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
    releaseId: reader.at('releaseId').maybe()?.text() ?? null,
    releaseName: reader.at('releaseName').maybe()?.text() ?? null,
    before: reader.at('before').json(),
    after: reader.at('after').json(),
    ...(reader.at('unsteady').maybe()?.flag() && { unsteady: true }),
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
    snapshotId: observation.at('snapshotId').maybe()?.text() ?? null,
  }));
}

/** The number of observations, and the time span between them, that confirm a suspicion. */
export interface NeededEvidence {
  readonly observations: number;
  readonly spanMs: number;
}

/** Rule `repetition` needs two complete observations in a row that agree. */
const REPETITION: NeededEvidence = { observations: 2, spanMs: 0 };

/**
 * Returns the evidence that a suspicion needs. A braked removal or a flipping value needs two more observations and
 * four times the time span: 5 over 2 hours instead of 3 over 30 minutes.
 *
 * @param usual the evidence for rule `absence`
 */
export function neededEvidence({ difference, held }: Suspicion, usual: NeededEvidence): NeededEvidence {
  if (difference.rule === 'repetition' && !difference.unsteady) return REPETITION;
  return held || difference.unsteady ? { observations: usual.observations + 2, spanMs: usual.spanMs * 4 } : usual;
}

/**
 * Number of additional observations to wait for releases of the same change that do not have enough observations yet.
 */
const PATIENCE = 2;

/**
 * Returns the confirmed part of a suspicion. Usually, this is the whole suspicion or null. In an artist-wide
 * availability change, each release needs its own evidence. Releases with too few observations delay the others for a
 * while, so that one event is reported once.
 *
 * @param usual the evidence for rule `absence`
 */
export function provenPart(suspicion: Suspicion, usual: NeededEvidence): Suspicion | null {
  const { difference, observations } = suspicion;
  const needed = neededEvidence(suspicion, usual);
  const whole = catalogueAvailability(difference);
  if (whole === null) return suffices(observations, needed) ? suspicion : null;
  const proven = new Set<string>();
  const affected = [...whole.releases, ...whole.unseen];
  for (const { platformId } of affected) {
    if (suffices(observationsOf(platformId, observations), needed)) proven.add(platformId);
  }
  const isWhole = proven.size === affected.length;
  const isOverdue = observations.length >= needed.observations + PATIENCE;
  if (proven.size === 0 || !(isWhole || isOverdue)) return null;
  return { ...suspicion, difference: narrowToReleases(difference, ({ platformId }) => proven.has(platformId)) };
}

function suffices(observations: readonly SuspicionObservation[], needed: NeededEvidence): boolean {
  const [first, last] = [observations[0], observations.at(-1)];
  if (first === undefined || last === undefined) return false;
  const spanMs = last.observedAt.getTime() - first.observedAt.getTime();
  return observations.length >= needed.observations && spanMs >= needed.spanMs;
}

/** Returns the observations in which a release had the change, since the last one that contradicted it. */
function observationsOf(releaseId: string, observations: readonly SuspicionObservation[]): SuspicionObservation[] {
  const seen = observations.map((observation) => ({ observation, ...parseAvailability(observation.seen) }));
  const since = seen.findLastIndex(({ back }) => back.includes(releaseId)) + 1;
  return seen
    .slice(since)
    .filter(({ releases }) => releases.some(({ platformId }) => platformId === releaseId))
    .map(({ observation }) => observation);
}
