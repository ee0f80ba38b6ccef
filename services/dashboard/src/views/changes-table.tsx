import { changeEvents, type EventChange } from '@artist-watch/domain/change/change-events';
import { ENTITY_TYPES, type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import { type ChangeValue, tracksText } from '@artist-watch/domain/change/change-value';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import { SeverityBadge } from './badge.js';
import { Instant } from './instant.js';
import { type Column, Table } from './table.js';
import { counted } from './text.js';

export interface ListedChange extends EventChange {
  readonly id: string;
  readonly severity: Severity;
  readonly releaseName: string | null;
  readonly summary: string;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

/** A row of a list: a change, or several that people see as one. */
export interface ListedEvent<Change extends ListedChange> {
  readonly head: Change | undefined;
  readonly others: readonly Change[];
  /** The newest of them. */
  readonly newest: Change;
  readonly severity: Severity;
}

/** Changes, newest first, each event in one row: what went with a release opens below it. */
export function ChangesTable<Change extends ListedChange>({
  changes,
  caption,
  link,
  columns = [],
}: {
  readonly changes: readonly Change[];
  readonly caption: string;
  readonly link: (path: string) => string;
  /** Between the severity and the time. */
  readonly columns?: ReadonlyArray<Column<ListedEvent<Change>>>;
}): VNode {
  const href = ({ id }: ListedChange) => link(`/changes/${id}`);
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
        ...columns,
        { label: 'Confirmed', cell: ({ newest }) => <Instant at={newest.confirmedAt} /> },
      ]}
      below={(event) =>
        event.others.length === 0 ? (
          <TracksOf change={event.head} />
        ) : (
          // By its id it is known again, and stays open, when rows come in front of it.
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

/** "and its 12 tracks", of a release that came or went whole, where its tracks were read. */
function TracksOf({ change }: { readonly change: ListedChange | undefined }): VNode | null {
  if (!change || !/^release_(removed|added|restored)$/.test(change.type)) return null;
  const release = change.before ?? change.after;
  const count = release?.kind === 'release' ? release.value.trackCount : null;
  return count ? <p class="soft">and its {tracksText(count)}</p> : null;
}

function listed<Change extends ListedChange>({
  head,
  others,
}: {
  head: Change | undefined;
  others: readonly Change[];
}) {
  const all = head ? [head, ...others] : others;
  const severity = all.map((change) => change.severity).sort((a, b) => severityRank(a) - severityRank(b))[0];
  const newest = all.reduce((one, other) => (other.confirmedAt > one.confirmedAt ? other : one));
  return { head, others, newest, severity: severity as Severity };
}

/** "and its 12 tracks"; "Credits changed: 3 tracks of “Flowers”"; "Release removed: 30 releases, 240 tracks" */
function titleOfOthers({ head, others }: ListedEvent<ListedChange>): VNode {
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
