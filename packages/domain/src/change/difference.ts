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

/** Identifies a release to its distributor. Unknown values are undefined. */
export interface ReleaseFacts {
  readonly label?: string | undefined;
  readonly upc?: string | undefined;
  readonly releaseDate?: string | undefined;
  /** For a track's change, only that track. */
  readonly tracks?: ReadonlyArray<{ readonly title?: string | undefined; readonly isrc?: string | undefined }>;
}

export interface Difference {
  /** Two observations agree if their differences have the same key. */
  readonly key: string;
  readonly type: DetectedChangeType;
  readonly rule: ConfirmationRule;
  readonly severity: Severity;
  readonly entityType: EntityType;
  /** For a replacement, the id that was replaced. */
  readonly entityId: string;
  readonly entityName: string;
  readonly releaseId: string | null;
  readonly releaseName: string | null;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The release before the change. Undefined for an artist's change, and in changes stored by older versions. */
  readonly facts?: ReleaseFacts;
  /** True if the same change was confirmed recently, so that it now needs more evidence (detection/baseline.ts). */
  readonly unsteady?: true;
}

export interface DifferenceParts {
  readonly type: DetectedChangeType;
  readonly entityId: string;
  readonly entityName: string | undefined;
  readonly release?: { readonly platformId: string; readonly name: string | undefined };
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Empty if an entity was added or removed. */
  readonly became?: string;
  readonly severity?: Severity;
  /** Set only for changes in an artist's availability. */
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

/** Maximum length of an unhashed value in a key. Keys are in a unique index, so they must be short. */
const READABLE_LENGTH = 80;

function shortened(became: string): string {
  return became.length <= READABLE_LENGTH
    ? became
    : `sha256-${createHash('sha256').update(became).digest('base64url')}`;
}

/** Differences are sorted, because the platform's lists can be in any order. */
export function sortByKey(differences: readonly Difference[]): Difference[] {
  return [...differences].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** @throws {RangeError} if the difference does not describe a replacement */
export function replacementId({ key, after }: Difference): string {
  const id = typeof after === 'object' && after !== null && 'platformId' in after ? after.platformId : undefined;
  if (typeof id !== 'string') throw new RangeError(`the difference ${key} is not a replacement`);
  return id;
}

/** @throws {RangeError} if the difference does not describe a merge */
export function mergeTarget({ key, after }: Difference): string {
  const [into] = Array.isArray(after) ? (after as readonly JsonValue[]) : [];
  const id = typeof into === 'object' && into !== null && 'platformId' in into ? into.platformId : undefined;
  if (typeof id !== 'string') throw new RangeError(`the difference ${key} is not a merge`);
  return id;
}

export function isReplacement({ type }: Difference): boolean {
  return type === 'release_replaced' || type === 'track_replaced';
}

export function idsOf(difference: Difference): readonly string[] {
  const { entityId } = difference;
  return isReplacement(difference) ? [entityId, replacementId(difference)] : [entityId];
}
