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

/** Changes that people see as one: a release that came or went with its tracks, or what happened to many at once. */
export interface ChangeEvent<Change> {
  /** The release that stands for its tracks, or the only change; undefined where none stands for the others. */
  readonly head: Change | undefined;
  /** In the order of the list; never empty without a head. */
  readonly others: readonly Change[];
}

/** Two readings of an artist that belong to one event are no further apart: the pause between its closer looks. */
const MAX_SPAN_MS = 3_600_000;
/** So many releases of an artist that come or go are one event; fewer stand each in a row. */
const MANY_RELEASES = 4;

const COMES_OR_GOES = /^(?:release|track)_(removed|added|restored|replaced)$/;

type Group<Change> = [Change, ...Change[]];

/** The events of a list of changes of however many artists, newest first, each where its newest change stands. */
export function changeEvents<Change extends EventChange>(changes: readonly Change[]): ChangeEvent<Change>[] {
  const groups = nearGroups(changes, keyOf, (change) => change) as Group<Change>[];
  const coming = groups.filter((group) => wayOf(group[0]) !== undefined);
  const joined = new Set<Group<Change>>();
  for (const cluster of nearGroups(coming, ([first]) => wayOf(first) ?? '', newestOf)) {
    const [first, ...rest] = belongTogether(cluster);
    first?.push(...rest.flat());
    for (const group of rest) joined.add(group);
  }
  return groups.filter((group) => !joined.has(group)).map(toEvent);
}

/** What has the same key and is near to the first of it in time, in the order of the list. */
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
 * Of groups of one artist that came or went the same way: the only release with the tracks whose release is not known, or
 * many releases with them; otherwise none.
 */
function belongTogether<Change extends EventChange>(cluster: readonly Group<Change>[]): readonly Group<Change>[] {
  const releases = cluster.filter((group) => group.some(isRelease));
  if (releases.length !== 1 && releases.length < MANY_RELEASES) return [];
  return cluster.filter((group) => releases.includes(group) || group[0].releaseId === null);
}

/** What came or went, by its release; a field that changed, by its release for tracks, and by the artist otherwise. */
function keyOf(change: EventChange): string {
  const { type, artistId, entityType, entityId, releaseId } = change;
  const release = entityType === 'release' ? entityId : releaseId;
  const way = wayOf(change);
  return JSON.stringify([artistId, way ?? type, way !== undefined || entityType === 'track' ? release : entityType]);
}

/** Which way something of an artist came or went; undefined for a field that changed. */
function wayOf({ type, artistId }: EventChange): string | undefined {
  const [, what] = COMES_OR_GOES.exec(type) ?? [];
  return what === undefined ? undefined : `${artistId} ${what}`;
}

function toEvent<Change extends EventChange>(group: Group<Change>): ChangeEvent<Change> {
  const releases = group.filter((change) => isRelease(change) && wayOf(change) !== undefined);
  const only = group.length === 1 ? group[0] : releases[0];
  const head = group.length === 1 || releases.length === 1 ? only : undefined;
  return { head, others: group.filter((change) => change !== head) };
}

function newestOf<Change>([newest]: Group<Change>): Change {
  return newest;
}

function isRelease({ entityType }: EventChange): boolean {
  return entityType === 'release';
}

function isNear(newest: EventChange, change: EventChange): boolean {
  return newest.confirmedAt.getTime() - change.confirmedAt.getTime() <= MAX_SPAN_MS;
}
