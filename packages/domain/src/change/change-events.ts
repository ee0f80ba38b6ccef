import { changeTitle } from '../channel/change-message.js';
import { type ChangeStatus, type EntityType, type Severity, severityRank } from './change-types.js';
import { type ChangeValue, tracksText } from './change-value.js';

export interface EventChange {
  readonly type: string;
  readonly artistId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly releaseId: string | null;
  readonly confirmedAt: Date;
}

interface ChangeEvent<Change> {
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

interface GradedChange extends EventChange {
  readonly severity: Severity;
}

export interface ListedChange extends GradedChange {
  readonly id: string;
  readonly entityName: string;
  readonly artistName: string;
  readonly releaseName: string | null;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
  readonly status: ChangeStatus;
  readonly assignee: string | null;
}

export type ListedEvent<Change extends ListedChange = ListedChange> = ReturnType<typeof listEvents<Change>>[number];

/** Groups changes, newest first, into the rows of lists and emails. */
export function listEvents<Change extends ListedChange>(changes: readonly Change[]) {
  return changeEvents(changes).map((event) => {
    const shown = gradeEvent(event);
    return {
      ...titleOf(shown.changes, event.head),
      ...{ head: event.head, ...shown },
      /** An event is open while any of its changes is open. */
      state: shown.changes.find(({ status }) => status === 'open') ?? shown.changes[0],
    };
  });
}

/** Returns an event's changes, the newest of them and the highest severity. */
export function gradeEvent<Change extends GradedChange>({ head, others }: ChangeEvent<Change>) {
  const changes = (head ? [head, ...others] : others) as readonly [Change, ...Change[]];
  const newest = changes.reduce((one, other) => (other.confirmedAt > one.confirmedAt ? other : one));
  const highest = changes.reduce((one, other) =>
    severityRank(other.severity) < severityRank(one.severity) ? other : one,
  );
  return { changes, newest, severity: highest.severity };
}

/** Returns a name and a fact, such as "Flowers" and "removed, with 12 tracks", or "7 releases" and "removed". */
export function titleOf(changes: readonly [ListedChange, ...ListedChange[]], head: ListedChange | undefined) {
  const main = head ?? changes.find(({ entityType }) => entityType === 'release') ?? changes[0];
  const { entityType, entityName, artistName, releaseName, before, after } = main;
  const isOne = head !== undefined || changes.every(({ entityId }) => entityId === main.entityId);
  const same = changes.filter((change) => change.entityType === entityType);
  const facts = factsOf(same.map(({ type }) => type));
  const tracks = changes.filter((change) => change.entityType === 'track').length;
  if (entityType === 'track' && !isOne) {
    const fact = facts.replace(/^track /, '');
    return releaseName === null
      ? { name: tracksText(tracks), fact }
      : { name: releaseName, fact: `${tracksText(tracks)}: ${fact}` };
  }
  const release = isOne ? (before ?? after) : null;
  // The number of removed tracks can be smaller than the number of tracks on the release.
  const count = entityType === 'release' && ((release?.kind === 'release' && release.value.trackCount) || tracks);
  const fact = count ? `${facts}, with ${tracksText(count)}` : facts;
  if (isOne) return { name: entityType === 'artist' ? artistName : entityName, fact };
  return { name: `${new Set(same.map(({ entityId }) => entityId)).size} releases`, fact };
}

/** Returns a fact such as "removed" or "label, UPC and release date changed". */
export function factsOf(types: readonly string[]): string {
  const facts = [...new Set(types)]
    // If the label and UPC both changed, this suggests a takeover, so they are listed first.
    .sort((one, other) => rankOf(one) - rankOf(other) || one.localeCompare(other))
    .map((type) => changeTitle(type.replace(/^release_(?!.*_changed$)/, '')))
    .map((title) => title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()));
  const areFields = facts.every((fact) => fact.endsWith(' changed'));
  const listed = LIST.format(areFields ? facts.map((fact) => fact.slice(0, -' changed'.length)) : facts);
  return areFields ? `${listed} changed` : listed;
}

const LIST = new Intl.ListFormat('en-GB');

function rankOf(type: string): number {
  const rank = ['label_changed', 'upc_changed'].indexOf(type);
  return rank === -1 ? 2 : rank;
}
