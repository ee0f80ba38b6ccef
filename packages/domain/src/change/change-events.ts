import type { EntityType } from './change-types.js';

/** The fields of a change that decide which event it belongs to. */
export interface EventChange {
  readonly type: string;
  readonly artistId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  /** The release of a track; null if unknown, and for artists and releases. */
  readonly releaseId: string | null;
  readonly confirmedAt: Date;
}

/** Changes that people see as one: a release added or removed with its tracks, or many changes at once. */
export interface ChangeEvent<Change> {
  /** The release that represents its tracks, or the only change. Undefined if no change represents the others. */
  readonly head: Change | undefined;
  /** In list order. Never empty if `head` is undefined. */
  readonly others: readonly Change[];
}

/** Maximum time between changes of one event. Detailed reads of an artist are up to this far apart. */
const MAX_SPAN_MS = 3_600_000;
/**
 * From this number on, added or removed releases of an artist are one event. If there are fewer, each gets its own row.
 */
const MANY_RELEASES = 4;

const COMES_OR_GOES = /^(?:release|track)_(removed|added|restored|replaced)$/;

type Group<Change> = [Change, ...Change[]];

/** Groups a list of changes, newest first, into events. Each event has the position of its newest change. */
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

/** Groups items that have the same key and are close in time to the group's first item, in list order. */
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
 * Selects the groups of one artist and direction that form one event: the only release, or many releases, together with
 * the tracks whose release is unknown. Otherwise none.
 */
function selectJoinable<Change extends EventChange>(cluster: readonly Group<Change>[]): readonly Group<Change>[] {
  const releases = cluster.filter((group) => group.some(isRelease));
  if (releases.length !== 1 && releases.length < MANY_RELEASES) return [];
  return cluster.filter((group) => releases.includes(group) || group[0].releaseId === null);
}

/**
 * The key of additions and removals is their release. The key of field changes is the release for tracks, and otherwise
 * the kind of entity.
 */
function eventKey(change: EventChange): string {
  const { type, artistId, entityType, entityId, releaseId } = change;
  const release = entityType === 'release' ? entityId : releaseId;
  const way = directionOf(change);
  return JSON.stringify([artistId, way ?? type, way !== undefined || entityType === 'track' ? release : entityType]);
}

/** The artist and what happened to its entities, such as `removed`. Undefined for a field change. */
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
