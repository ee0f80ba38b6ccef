import type { EntityType } from './change-types.js';

export interface EventChange {
  readonly type: string;
  readonly artistId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly releaseId: string | null;
  readonly confirmedAt: Date;
}

export interface ChangeEvent<Change> {
  /** The change that represents the whole event. */
  readonly head: Change | undefined;
  readonly others: readonly Change[];
}

/** Changes within this time form one event, because detailed reads of an artist can be an hour apart. */
const MAX_SPAN_MS = 3_600_000;
/** Minimum number of added or removed releases that are combined into one event. */
const MANY_RELEASES = 4;

const COMES_OR_GOES = /^(?:release|track)_(removed|added|restored|replaced)$/;

type Group<Change> = [Change, ...Change[]];

/** Groups changes into events, newest first. */
export function changeEvents<Change extends EventChange>(changes: readonly Change[]): ChangeEvent<Change>[] {
  const groups = nearGroups(changes, eventKey, (change) => change) as Group<Change>[];
  const coming = groups.filter(([first]) => directionOf(first) !== undefined);
  const fields = groups.filter(([first]) => directionOf(first) === undefined && isRelease(first));
  const joined = new Set<Group<Change>>();
  for (const cluster of [
    ...nearGroups(coming, ([first]) => directionOf(first) ?? '', newest).map(selectJoinable),
    ...nearGroups(fields, typesKey, newest),
  ]) {
    const [first, ...rest] = cluster;
    first?.push(...rest.flat());
    for (const group of rest) joined.add(group);
  }
  return groups.filter((group) => !joined.has(group)).map(toEvent);
}

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
 * Selects the groups that are combined into one event: a single release or at least four, and tracks that have no
 * release id. Two or three releases remain separate events.
 */
function selectJoinable<Change extends EventChange>(cluster: readonly Group<Change>[]): readonly Group<Change>[] {
  const releases = cluster.filter((group) => group.some(isRelease));
  if (releases.length !== 1 && releases.length < MANY_RELEASES) return [];
  return cluster.filter((group) => releases.includes(group) || group[0].releaseId === null);
}

/**
 * Additions, removals and track changes are grouped by release, while a release's field changes are grouped by check.
 */
function eventKey(change: EventChange): string {
  const { type, artistId, entityType, entityId, releaseId, confirmedAt } = change;
  const way = directionOf(change);
  if (entityType === 'release') return JSON.stringify([artistId, way ?? confirmedAt.getTime(), entityId]);
  return JSON.stringify([artistId, way ?? type, releaseId]);
}

/** An artist's releases with the same changed fields form one event. */
function typesKey([first, ...rest]: Group<EventChange>): string {
  return JSON.stringify([first.artistId, ...[...new Set([first, ...rest].map(({ type }) => type))].sort()]);
}

/** Returns undefined for a field change. */
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
