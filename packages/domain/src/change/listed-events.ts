import { changeTitle } from '../channel/change-message.js';
import { type ChangeEvent, changeEvents, type EventChange } from './change-events.js';
import { type ChangeStatus, type Severity, severityRank } from './change-types.js';
import { type ChangeValue, tracksText } from './change-value.js';

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
