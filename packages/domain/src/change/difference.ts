import { createHash } from 'node:crypto';
import {
  CHANGE_TYPES,
  type ConfirmationRule,
  type DetectedChangeType,
  type EntityType,
  type Severity,
} from './change-types.js';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** A difference between an observation and the baseline. It can be stored as JSON. */
export interface Difference {
  /**
   * Identifies the type, the entity and the new value. Differences of two observations that agree have the same key.
   */
  readonly key: string;
  readonly type: DetectedChangeType;
  readonly rule: ConfirmationRule;
  readonly severity: Severity;
  readonly entityType: EntityType;
  /** The platform's id of the entity. For a replacement, the id that was replaced. */
  readonly entityId: string;
  readonly entityName: string;
  /** The release of a track. Null for releases and artists. */
  readonly releaseId: string | null;
  readonly releaseName: string | null;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** True if the value has flipped recently, so that the usual evidence is not enough (detection/unsteady.ts). */
  readonly unsteady?: true;
}

export interface DifferenceParts {
  readonly type: DetectedChangeType;
  readonly entityId: string;
  readonly entityName: string | undefined;
  readonly release?: { readonly platformId: string; readonly name: string | undefined };
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** The new value in canonical form. Empty if the change type says everything, as for an added or removed entity. */
  readonly became?: string;
  readonly severity?: Severity;
  /** The kind of entity, set only for availability changes of an artist. Default: the kind that `type` is about. */
  readonly entityType?: EntityType;
}

export function makeDifference(parts: DifferenceParts): Difference {
  const { type, entityId, release, before = null, after = null, became = '' } = parts;
  const facts = CHANGE_TYPES[type];
  return {
    key: `${type}:${release === undefined ? '' : `${release.platformId}/`}${entityId}:${shortened(became)}`,
    type,
    rule: facts.rule,
    severity: parts.severity ?? facts.severity,
    entityType: parts.entityType ?? facts.entityType,
    entityId,
    entityName: parts.entityName ?? entityId,
    releaseId: release?.platformId ?? null,
    releaseName: release === undefined ? null : (release.name ?? release.platformId),
    before,
    after,
  };
}

/** Longer values are replaced by a digest, because keys are in a unique index. Short values stay readable. */
const READABLE_LENGTH = 80;

function shortened(became: string): string {
  return became.length <= READABLE_LENGTH
    ? became
    : `sha256-${createHash('sha256').update(became).digest('base64url')}`;
}

/** Sorts differences by key, so that the result does not depend on the order of the platform's lists. */
export function sortByKey(differences: readonly Difference[]): Difference[] {
  return [...differences].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Returns the id that replaced `entityId`. @throws {RangeError} if the difference is not a replacement */
export function replacementId({ key, after }: Difference): string {
  const id = typeof after === 'object' && after !== null && 'platformId' in after ? after.platformId : undefined;
  if (typeof id !== 'string') throw new RangeError(`${key} is not a replacement`);
  return id;
}

/** Returns the id of the artist into which another was merged. @throws {RangeError} if the difference is not a merge */
export function mergeTarget({ key, after }: Difference): string {
  const [into] = Array.isArray(after) ? (after as readonly JsonValue[]) : [];
  const id = typeof into === 'object' && into !== null && 'platformId' in into ? into.platformId : undefined;
  if (typeof id !== 'string') throw new RangeError(`${key} is not a merge`);
  return id;
}

export function isReplacement({ type }: Difference): boolean {
  return type === 'release_replaced' || type === 'track_replaced';
}

/** Returns the ids that a difference concerns: two for a replacement, otherwise one. */
export function idsOf(difference: Difference): readonly string[] {
  const { entityId } = difference;
  return isReplacement(difference) ? [entityId, replacementId(difference)] : [entityId];
}
