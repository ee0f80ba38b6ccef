import type { EntityType } from './change-types.js';

/** What it takes of a change to say which event it belongs to. */
export interface EventChange {
  readonly type: string;
  readonly artistId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  /** The release that a track is on; null where it is not known, and for artists and releases. */
  readonly releaseId: string | null;
  readonly confirmedAt: Date;
}

/** Changes that people see as one: a release that came or went with its tracks, or one field of many entities. */
export interface ChangeEvent<Change> {
  /** The release itself, where it came or went with its tracks; undefined where none stands for the others. */
  readonly head: Change | undefined;
  /** In the order of the list; never empty without a head. */
  readonly others: readonly Change[];
}

/** Two readings of an artist that belong to one event are no further apart: the pause between its closer looks. */
const MAX_SPAN_MS = 3_600_000;

/**
 * The events of a list of changes, newest first, each where its newest change stands. A change that stands alone is the
 * head of its own event.
 */
export function changeEvents<Change extends EventChange>(changes: readonly Change[]): ChangeEvent<Change>[] {
  const groups: Change[][] = [];
  const openGroups = new Map<string, Change[]>();
  for (const change of changes) {
    const key = keyOf(change);
    const group = openGroups.get(key);
    if (group && isNear(group[0] as Change, change)) {
      group.push(change);
    } else {
      const opened = [change];
      groups.push(opened);
      openGroups.set(key, opened);
    }
  }
  return groups.map(toEvent);
}

function toEvent<Change extends EventChange>(group: readonly Change[]): ChangeEvent<Change> {
  const head = group.length === 1 ? group[0] : group.find(comesOrGoes);
  return { head, others: group.filter((change) => change !== head) };
}

/** What came or went is an event of its release; a field that changed, of all its releases or of the tracks of one. */
function keyOf(change: EventChange): string {
  const { type, artistId, entityType, entityId, releaseId } = change;
  const [, what = type] = /^(?:release|track)_(removed|added|restored|replaced)$/.exec(type) ?? [];
  const release = entityType === 'release' ? entityId : releaseId;
  return JSON.stringify([artistId, what, comesOrGoes(change) || entityType === 'track' ? release : entityType]);
}

/** A release that came or went. */
function comesOrGoes({ type, entityType }: EventChange): boolean {
  return entityType === 'release' && /^release_(?:removed|added|restored|replaced)$/.test(type);
}

function isNear(newest: EventChange, change: EventChange): boolean {
  return newest.confirmedAt.getTime() - change.confirmedAt.getTime() <= MAX_SPAN_MS;
}
