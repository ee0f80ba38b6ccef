import { catalogueAvailability, narrowToReleases, parseAvailability } from '../change/catalogue-availability.js';
import { CHANGE_TYPES, type DetectedChangeType, ENTITY_TYPES, SEVERITIES } from '../change/change-types.js';
import type { Difference, JsonValue, ReleaseFacts } from '../change/difference.js';
import { JsonReader } from './json-reader.js';
import { DIRECT_READS, type DirectRead, readNote, type SuspicionNote } from './suspicion-note.js';

export interface SuspicionObservation {
  readonly observedAt: Date;
  readonly paths: {
    /** True in every observation that counts, because it showed the difference. */
    readonly listMissing: boolean;
    readonly directRead: DirectRead;
  };
  readonly seen: JsonValue;
  /** Null for observations stored by older versions. */
  readonly snapshotId: string | null;
}

export interface Suspicion {
  readonly key: string;
  /** The difference as seen in the latest observation that counted. */
  readonly difference: Difference;
  readonly observations: readonly [SuspicionObservation, ...SuspicionObservation[]];
  /** True while the brake keeps the removal on hold. */
  readonly held: boolean;
  /** Oldest first. */
  readonly notes: readonly SuspicionNote[];
}

export function isReleased({ notes }: Suspicion): boolean {
  return notes.some(({ kind }) => kind === 'released');
}

/** @throws {UnreadableRecordError} */
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
  const facts = reader.at('facts').maybe();
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
    ...(facts && { facts: readFacts(facts) }),
    ...(reader.at('unsteady').maybe()?.flag() && { unsteady: true }),
  };
}

function readFacts(facts: JsonReader): ReleaseFacts {
  const text = (reader: JsonReader, name: string) => reader.at(name).maybe()?.text();
  const tracks = facts
    .at('tracks')
    .maybe()
    ?.list((track) => ({ title: text(track, 'title'), isrc: text(track, 'isrc') }));
  const values = { label: text(facts, 'label'), upc: text(facts, 'upc'), releaseDate: text(facts, 'releaseDate') };
  return { ...values, ...(tracks && { tracks }) };
}

/** @throws {UnreadableRecordError} unless the value is a list with at least one observation */
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

export interface NeededEvidence {
  readonly observations: number;
  readonly spanMs: number;
}

const REPETITION: NeededEvidence = { observations: 2, spanMs: 0 };

/**
 * A removal on hold, or a value that keeps changing back and forth, needs 5 observations over 2 hours instead of 3 over
 * 30 minutes.
 * @param usual the evidence that the `absence` rule requires
 */
export function neededEvidence({ difference, held }: Suspicion, usual: NeededEvidence): NeededEvidence {
  if (difference.rule === 'repetition' && !difference.unsteady) return REPETITION;
  return held || difference.unsteady ? { observations: usual.observations + 2, spanMs: usual.spanMs * 4 } : usual;
}

/** A release with enough evidence waits at most two observations for the other releases. */
const PATIENCE = 2;

/**
 * Returns null if there isn't enough evidence. In an artist-wide change, each release needs its own evidence.
 * @param usual the evidence needed under rule `absence`
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

/** When an observation contradicts the change, earlier observations no longer count. */
function observationsOf(releaseId: string, observations: readonly SuspicionObservation[]): SuspicionObservation[] {
  const seen = observations.map((observation) => ({ observation, ...parseAvailability(observation.seen) }));
  const since = seen.findLastIndex(({ back }) => back.includes(releaseId)) + 1;
  return seen
    .slice(since)
    .filter(({ releases }) => releases.some(({ platformId }) => platformId === releaseId))
    .map(({ observation }) => observation);
}
