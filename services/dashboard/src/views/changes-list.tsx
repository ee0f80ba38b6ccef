import { type ListedChange, type ListedEvent, titleOf } from '@artist-watch/domain/change/change-events';
import type { ComponentChildren, VNode } from 'preact';
import { ShortBeforeAfter } from './change.js';
import { Icon, SeverityIcon, StateBadge } from './icon.js';
import { Instant } from './instant.js';

interface ChangesListProps {
  readonly events: readonly ListedEvent[];
  readonly label: string;
  readonly link: (path: string) => string;
  /** Id of the form that the checkboxes in the rows belong to. */
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
                name="change"
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
            // The id lets the list stay open after a refresh.
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
      <Title {...{ name, fact, href }} by={first.artistName}>
        {others.length === 0 && <ShortBeforeAfter {...first} />}
      </Title>
      {others.length > 0 && <Icon name="chevron-right" />}
      <span class="status" title={state.assignee === null ? undefined : `Assigned to ${state.assignee}`}>
        <StateBadge state={state.status} />
      </span>
      <Instant at={newest.confirmedAt} />
    </>
  );
}

interface TitleProps extends Readonly<Record<'name' | 'fact', string>> {
  readonly href?: string | undefined;
  readonly by?: string;
  readonly children?: ComponentChildren;
}

/** Shows "Flowers removed The Endless Engines" on one line, or on two lines on phones. */
export function Title({ name, fact, href, by, children }: TitleProps): VNode {
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
      </span>{' '}
      {by !== undefined && by !== name && <bdi>{by}</bdi>}
    </span>
  );
}
