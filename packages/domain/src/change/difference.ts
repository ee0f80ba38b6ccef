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

/** What one observation shows that the baseline does not, or the reverse. It can be stored as JSON and read back. */
export interface Difference {
  /** Type, entity, and what it became: two observations that agree give the same key. */
  readonly key: string;
  readonly type: DetectedChangeType;
  readonly rule: ConfirmationRule;
  readonly severity: Severity;
  readonly entityType: EntityType;
  /** The platform's id. For a replacement the id that was replaced. */
  readonly entityId: string;
  readonly entityName: string;
  /** The release that a track is on; null for releases and artists. */
  readonly releaseId: string | null;
  readonly releaseName: string | null;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** It has changed to and fro of late (detection/unsteady.ts): the usual evidence is too little. */
  readonly unsteady?: true;
}

export interface DifferenceParts {
  readonly type: DetectedChangeType;
  readonly entityId: string;
  readonly entityName: string | undefined;
  readonly release?: { readonly platformId: string; readonly name: string | undefined };
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** What it became, in one canonical form; empty where the type says it all (removed, added). */
  readonly became?: string;
  readonly severity?: Severity;
  /** Of a change of availability that is one of the artist; otherwise the type says it. */
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

/** Keys stand in a unique index: short values stay readable, long ones become a digest. */
const READABLE_LENGTH = 80;

function shortened(became: string): string {
  return became.length <= READABLE_LENGTH
    ? became
    : `sha256-${createHash('sha256').update(became).digest('base64url')}`;
}

/** One order for every list of differences, whatever order the platform's lists came in. */
export function inKeyOrder(differences: readonly Difference[]): Difference[] {
  return [...differences].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** The id that has taken the place of `entityId`. @throws {RangeError} for anything but a replacement. */
export function replacementId({ key, after }: Difference): string {
  const id = typeof after === 'object' && after !== null && 'platformId' in after ? after.platformId : undefined;
  if (typeof id !== 'string') throw new RangeError(`${key} is no replacement`);
  return id;
}

/** The platform's id of the artist that a merged one became. @throws {RangeError} for anything but a merge. */
export function mergeTarget({ key, after }: Difference): string {
  const [into] = Array.isArray(after) ? (after as readonly JsonValue[]) : [];
  const id = typeof into === 'object' && into !== null && 'platformId' in into ? into.platformId : undefined;
  if (typeof id !== 'string') throw new RangeError(`${key} is no merge`);
  return id;
}

export function isReplacement({ type }: Difference): boolean {
  return type === 'release_replaced' || type === 'track_replaced';
}

/** The ids that a difference is about: two for a replacement. */
export function idsOf(difference: Difference): readonly string[] {
  const { entityId } = difference;
  return isReplacement(difference) ? [entityId, replacementId(difference)] : [entityId];
}
