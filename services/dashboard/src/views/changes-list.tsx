import type { AccountChange } from '@artist-watch/contracts/api/change';
import { changeEvents, type EventChange } from '@artist-watch/domain/change/change-events';
import { type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import { tracksText } from '@artist-watch/domain/change/change-value';
import type { ComponentChildren, VNode } from 'preact';
import { SeverityIcon, StateBadge } from './badge.js';
import { ShortBeforeAfter } from './change.js';
import { factsOf } from './change-fact.js';
import { Icon } from './icon.js';
import { Instant } from './instant.js';
import { currentReader } from './markup.js';
import { counted } from './text.js';

type ShownFields = 'severity' | 'entityName' | 'artistName' | 'releaseName' | 'before' | 'after';

export interface ListedChange extends EventChange, Pick<AccountChange, ShownFields | 'status' | 'assignee'> {
  readonly id: string;
}

export type ListedEvent<Change extends ListedChange = ListedChange> = ReturnType<typeof listEvents<Change>>[number];

export function listEvents<Change extends ListedChange>(changes: readonly Change[]) {
  return changeEvents(changes).map(({ head, others }) => {
    const all = (head ? [head, ...others] : others) as readonly [Change, ...Change[]];
    const newest = all.reduce((one, other) => (other.confirmedAt > one.confirmedAt ? other : one));
    const [severity] = all.map((change) => change.severity).sort((a, b) => severityRank(a) - severityRank(b));
    return {
      ...titleOf(all, head),
      ...{ head, changes: all, newest, severity: severity as Severity },
      /** An event is open while one of its changes is open. */
      state: all.find(({ status }) => status === 'open') ?? all[0],
    };
  });
}

/** Returns a name and a fact, such as "Flowers" and "removed, with 12 tracks", or "7 releases" and "removed". */
function titleOf(changes: readonly [ListedChange, ...ListedChange[]], head: ListedChange | undefined) {
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
  const count = entityType === 'release' && (tracks || (release?.kind === 'release' && release.value.trackCount));
  const fact = count ? `${facts}, with ${tracksText(count)}` : facts;
  if (isOne) return { name: entityType === 'artist' ? artistName : entityName, fact };
  return { name: counted(new Set(same.map(({ entityId }) => entityId)).size, 'release'), fact };
}

interface ChangesListProps {
  readonly events: readonly ListedEvent[];
  readonly label: string;
  readonly link: (path: string) => string;
  /** The id of the form that the rows' checkboxes belong to. */
  readonly form?: string;
}

export function ChangesList({ events, label, link, form }: ChangesListProps): VNode {
  const href = ({ id }: ListedChange) => link(`/changes/${id}`);
  return (
    <ul class="changes" aria-label={label}>
      {events.map((event) => (
        <li class={event.state.status === 'open' ? undefined : 'done'}>
          {form !== undefined && (
            <label class="pick">
              <input
                type="checkbox"
                name="id"
                form={form}
                value={event.changes.map(({ id }) => id).join(' ')}
                aria-label={`Select: ${event.name} ${event.fact}`}
              />
            </label>
          )}
          {event.changes.length === 1 ? (
            <div class="change">
              <EventRow event={event} href={href(event.changes[0])} />
            </div>
          ) : (
            // The id keeps the list open after a refresh.
            <details id={`with-${(event.head ?? event.newest).id}`}>
              <summary class="change">
                <EventRow event={event} />
              </summary>
              <ul class="changes">
                {event.changes.map((change) => (
                  <li class="change">
                    <Title {...titleOf([change], change)} href={href(change)}>
                      <ShortBeforeAfter {...change} />
                    </Title>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function EventRow({ event, href }: { readonly event: ListedEvent; readonly href?: string }): VNode {
  const { name, fact, changes, newest, severity, state } = event;
  const [first, ...others] = changes;
  return (
    <>
      <SeverityIcon severity={severity} />
      {others.length > 0 && <Icon name="chevron-right" />}
      <Title {...{ name, fact, href }}>
        {' · '}
        <bdi>{first.artistName}</bdi> · {currentReader().platformName}
        {others.length === 0 && <ShortBeforeAfter {...first} />}
      </Title>
      <span class="status" title={state.assignee === null ? undefined : `Assigned to ${state.assignee}`}>
        <StateBadge state={state.status} />
      </span>
      <Instant at={newest.confirmedAt} />
    </>
  );
}

interface TitleProps extends Readonly<Record<'name' | 'fact', string>> {
  readonly href?: string | undefined;
  readonly children?: ComponentChildren;
}

/** Shows "Flowers removed · The Endless Engines · Deezer" on one line. */
export function Title({ name, fact, href, children }: TitleProps): VNode {
  return (
    <span class="title">
      {href === undefined ? (
        <b dir="auto">{name}</b>
      ) : (
        <a class="row-link" href={href} dir="auto">
          {name}
        </a>
      )}{' '}
      <span>
        {fact}
        {children}
      </span>
    </span>
  );
}
