import type { EntityType } from './change-types.js';

/** The fields of a change that decide which event it belongs to. */
export interface EventChange {
  readonly type: string;
  readonly artistId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  /** The release of a track. Null if it is unknown, and for artists and releases. */
  readonly releaseId: string | null;
  readonly confirmedAt: Date;
}

/**
 * A group of changes that people see as one event, such as a release removed with its tracks, or many changes at once.
 */
export interface ChangeEvent<Change> {
  /**
   * The change that represents the group: the release of the tracks, or the only change. Undefined if there is none.
   */
  readonly head: Change | undefined;
  /** The other changes, in list order. Never empty if `head` is undefined. */
  readonly others: readonly Change[];
}

/** Maximum time between the first and the last change of an event. Detailed reads of an artist can be an hour apart. */
const MAX_SPAN_MS = 3_600_000;
/** At least this many added or removed releases of an artist form one event. Fewer releases are separate events. */
const MANY_RELEASES = 4;

const COMES_OR_GOES = /^(?:release|track)_(removed|added|restored|replaced)$/;

type Group<Change> = [Change, ...Change[]];

/** Groups a list of changes, newest first, into events. An event has the list position of its newest change. */
export function changeEvents<Change extends EventChange>(changes: readonly Change[]): ChangeEvent<Change>[] {
  const groups = nearGroups(changes, eventKey, (change) => change) as Group<Change>[];
  const coming = groups.filter((group) => directionOf(group[0]) !== undefined);
  const joined = new Set<Group<Change>>();
  for (const cluster of nearGroups(coming, ([first]) => directionOf(first) ?? '', newest)) {
    const [first, ...rest] = selectJoinable(cluster);
    first?.push(...rest.flat());
    for (const group of rest) joined.add(group);
  }
  return groups.filter((group) => !joined.has(group)).map(toEvent);
}

/** Groups items with the same key, in list order. All items of a group are within an hour of its first item. */
function nearGroups<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  change: (item: Item) => EventChange,
): Group<Item>[] {
  const found: Group<Item>[] = [];
  const open = new Map<string, Group<Item>>();
  for (const item of items) {
    const group = open.get(key(item));
    if (group && isNear(change(group[0]), change(item))) {
      group.push(item);
      continue;
    }
    const opened: Group<Item> = [item];
    found.push(opened);
    open.set(key(item), opened);
  }
  return found;
}

/**
 * Selects the groups that form one event. All groups are of one artist, and are either all additions or all removals.
 * With one release, or with four or more, selects the groups of these releases and the tracks whose release is unknown.
 * With any other number of releases, selects nothing.
 */
function selectJoinable<Change extends EventChange>(cluster: readonly Group<Change>[]): readonly Group<Change>[] {
  const releases = cluster.filter((group) => group.some(isRelease));
  if (releases.length !== 1 && releases.length < MANY_RELEASES) return [];
  return cluster.filter((group) => releases.includes(group) || group[0].releaseId === null);
}

/**
 * Returns the key by which changes are grouped. Additions and removals are grouped by release. Field changes of tracks
 * are grouped by release, and other field changes by the kind of entity.
 */
function eventKey(change: EventChange): string {
  const { type, artistId, entityType, entityId, releaseId } = change;
  const release = entityType === 'release' ? entityId : releaseId;
  const way = directionOf(change);
  return JSON.stringify([artistId, way ?? type, way !== undefined || entityType === 'track' ? release : entityType]);
}

/** Returns the artist and what happened to its entities, such as `removed`. Undefined for a field change. */
function directionOf({ type, artistId }: EventChange): string | undefined {
  const [, what] = COMES_OR_GOES.exec(type) ?? [];
  return what === undefined ? undefined : `${artistId} ${what}`;
}

function toEvent<Change extends EventChange>(group: Group<Change>): ChangeEvent<Change> {
  const releases = group.filter((change) => isRelease(change) && directionOf(change) !== undefined);
  const only = group.length === 1 ? group[0] : releases[0];
  const head = group.length === 1 || releases.length === 1 ? only : undefined;
  return { head, others: group.filter((change) => change !== head) };
}

function newest<Change>([newest]: Group<Change>): Change {
  return newest;
}

function isRelease({ entityType }: EventChange): boolean {
  return entityType === 'release';
}

function isNear(newest: EventChange, change: EventChange): boolean {
  return newest.confirmedAt.getTime() - change.confirmedAt.getTime() <= MAX_SPAN_MS;
}
