import type { ChangeHandling } from '@artist-watch/contracts/api/change';
import { type ChangeEvent, changeEvents, type EventChange } from '@artist-watch/domain/change/change-events';
import { ENTITY_TYPES, type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import { type ChangeValue, tracksText } from '@artist-watch/domain/change/change-value';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import { SeverityBadge, StateBadge } from './badge.js';
import { ShortBeforeAfter } from './change.js';
import { Instant } from './instant.js';
import { type Column, Table } from './table.js';
import { counted } from './text.js';

export interface ListedChange extends EventChange, Pick<ChangeHandling, 'status' | 'assignee'> {
  readonly id: string;
  readonly severity: Severity;
  readonly artistName: string;
  readonly releaseName: string | null;
  readonly summary: string;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

interface ChangesTableProps {
  readonly changes: readonly ListedChange[];
  readonly caption: string;
  readonly link: (path: string) => string;
  readonly isWide?: boolean;
  readonly form?: string;
}

/** Each row is an event with its main change and opens a list of the others. */
export function ChangesTable({ changes, caption, link, isWide = false, form }: ChangesTableProps): VNode {
  const href = ({ id }: ListedChange) => link(`/changes/${id}`);
  const wide: Array<Column<ListedEvent>> = [
    {
      label: 'Artist',
      cell: ({ newest: { artistId, artistName } }) => (
        <a href={link(`/changes?artist=${encodeURIComponent(artistId)}`)}>
          <bdi>{artistName}</bdi>
        </a>
      ),
    },
    {
      label: 'Before → after',
      cell: ({ head, newest }) =>
        (head && ShortBeforeAfter(head)) ?? <span class="soft roomy">{changeTitle((head ?? newest).type)}</span>,
    },
  ];
  return (
    <Table
      caption={caption}
      isTerse
      rows={changeEvents(changes).map(listed)}
      href={({ head }) => head && href(head)}
      isMarked={({ severity }) => severity === 'critical'}
      columns={[
        { label: 'Change', cell: ({ head }) => head && <bdi>{head.summary}</bdi> },
        { label: 'Severity', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
        { label: 'Status', cell: StatusOf },
        ...(isWide ? wide : []),
        { label: 'Confirmed', cell: ({ newest }) => <Instant at={newest.confirmedAt} /> },
        ...(form === undefined ? [] : [selectOf(form)]),
      ]}
      below={(event) =>
        event.others.length === 0 ? (
          <TracksOf change={event.head} />
        ) : (
          // The id keeps the list open when a refresh inserts rows above it.
          <details id={`with-${(event.head ?? event.newest).id}`}>
            <summary>{titleOfOthers(event)}</summary>
            <ul class="prose">
              {event.others.map((change) => (
                <li>
                  <a href={href(change)}>
                    <bdi>{change.summary}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          </details>
        )
      }
    />
  );
}

function StatusOf({ head, others }: ListedEvent): VNode {
  const all = head ? [head, ...others] : others;
  const { status, assignee } = all.find((change) => change.status === 'open') ?? (all[0] as ListedChange);
  return (
    <span title={assignee === null ? undefined : `Assigned to ${assignee}`}>
      <StateBadge state={status} />
    </span>
  );
}

function selectOf(form: string): Column<ListedEvent> {
  return {
    label: 'Select',
    isAction: true,
    cell: ({ head, newest, others }) => (
      <input
        type="checkbox"
        name="id"
        form={form}
        value={[...(head ? [head] : []), ...others].map(({ id }) => id).join(' ')}
        aria-label={`Select: ${(head ?? newest).summary}`}
      />
    ),
  };
}

/** A line such as "and its 12 tracks". Null if the release's tracks are unknown. */
function TracksOf({ change }: { readonly change: ListedChange | undefined }): VNode | null {
  if (!change || !/^release_(removed|added|restored)$/.test(change.type)) return null;
  const release = change.before ?? change.after;
  const count = release?.kind === 'release' ? release.value.trackCount : null;
  return count ? <p class="soft">and its {tracksText(count)}</p> : null;
}

function listed({ head, others }: ChangeEvent<ListedChange>) {
  const all = head ? [head, ...others] : others;
  const severity = all.map((change) => change.severity).sort((a, b) => severityRank(a) - severityRank(b))[0];
  const newest = all.reduce((one, other) => (other.confirmedAt > one.confirmedAt ? other : one));
  return { head, others, newest, severity: severity as Severity };
}

type ListedEvent = ReturnType<typeof listed>;

/** Returns a title such as "and its 12 tracks" or "Release removed: 30 releases, 240 tracks". */
function titleOfOthers({ head, others }: ListedEvent): VNode {
  const [first] = others as [ListedChange];
  const counts = ENTITY_TYPES.map(
    (type) => [type, others.filter(({ entityType }) => entityType === type).length] as const,
  );
  const entities = counts.flatMap(([type, count]) => (count === 0 ? [] : counted(count, type)));
  if (head)
    return (
      <>
        {others.every(({ releaseId }) => releaseId === head.entityId) ? 'and its' : 'and'} {entities.join(', ')}
      </>
    );
  const release = others.find(({ entityType }) => entityType === 'release');
  return (
    <>
      {changeTitle((release ?? first).type)}: {entities.join(', ')}
      {release === undefined && first.releaseName !== null && (
        <>
          {' of “'}
          <bdi>{first.releaseName}</bdi>”
        </>
      )}
    </>
  );
}
