import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { CHANGE_TYPES, type Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import { dateFormats, quarterTexts } from '@artist-watch/domain/date-formats';
import type { VNode } from 'preact';
import { changeTypeTitle, ShortBeforeAfter } from '../../views/change.js';
import { ChangesTable, type ListedChange } from '../../views/changes-table.js';
import { Filters, Pager } from '../../views/filters.js';
import { Select, TextField } from '../../views/form.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';

interface ShownChange extends ListedChange {
  readonly artistName: string;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

interface ChangesProps {
  readonly link: (path: string) => string;
  readonly zone: string;
  readonly locale: string;
  readonly plan: PlanName;
  readonly filter: {
    readonly type: string | undefined;
    readonly severity: Severity | undefined;
    readonly artist: string;
    readonly from: string | undefined;
    readonly to: string | undefined;
    readonly words: string;
  };
  readonly isFiltered: boolean;
  readonly changes: readonly ShownChange[];
  /** Those that the text in the field of the artist may mean. */
  readonly artists: ReadonlyArray<{ readonly name: string; readonly href: string }>;
  readonly next: string | undefined;
  readonly first: string | undefined;
  /** The same list as CSV. */
  readonly exportHref: string;
}

export function changesView(props: ChangesProps): VNode {
  const { link, zone, locale, plan, filter, isFiltered, changes, artists, next, first, exportHref } = props;
  return (
    <>
      <PageHead
        title="Changes"
        actions={
          <>
            <a class="button" href={exportHref} download>
              CSV
            </a>
            <a class="button" href={link('/feeds')}>
              Feeds
            </a>
          </>
        }
      >
        <p>
          Confirmed changes of the artists that this account watches, of the last {PLANS[plan].historyDays} days, newest
          first.
        </p>
      </PageHead>
      <ChangeFilters action={link('/changes')} isSet={isFiltered} filter={filter} />
      {artists.length > 1 && changes.length === 0 ? (
        <Section title="Which artist?">
          <ul class="prose">
            {artists.map(({ name, href }) => (
              <li>
                <a href={href}>
                  <bdi>{name}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </Section>
      ) : (
        changes.length === 0 && <NoChanges isFiltered={isFiltered} goesOn={next !== undefined} />
      )}
      {byDay(changes, zone, locale).map(([day, ofDay]) => (
        <Section title={day}>
          <ChangesTable
            caption={`Changes of ${day}`}
            changes={ofDay}
            link={link}
            columns={[
              {
                label: 'Artist',
                cell: ({ newest: { artistId, artistName } }) => (
                  <a href={link(`/changes?artist=${encodeURIComponent(artistId)}`)}>
                    <bdi>{artistName}</bdi>
                  </a>
                ),
              },
              {
                label: 'Before and after',
                cell: ({ head, newest: { type } }) =>
                  (head && ShortBeforeAfter(head)) ?? <span class="soft">{changeTypeTitle(type)}</span>,
              },
            ]}
          />
        </Section>
      ))}
      <Pager next={next} first={first} />
    </>
  );
}

const TYPES = [
  { value: '', label: 'Any' },
  ...Object.keys(CHANGE_TYPES).map((type) => ({ value: type, label: changeTypeTitle(type) })),
];

const SEVERITIES = [
  { value: '', label: 'Any' },
  { value: 'critical', label: 'Critical' },
  { value: 'warning', label: 'Warning' },
];

function ChangeFilters({
  action,
  isSet,
  filter,
}: {
  action: string;
  isSet: boolean;
  filter: ChangesProps['filter'];
}): VNode {
  return (
    <Filters action={action} isSet={isSet}>
      <TextField name="q" label="Words" type="search" value={filter.words} maxLength={200} />
      <TextField name="artist" label="Artist" type="search" value={filter.artist} maxLength={200} />
      <Select name="type" label="Type" value={filter.type ?? ''} options={TYPES} />
      <Select name="severity" label="Severity, at least" value={filter.severity ?? ''} options={SEVERITIES} />
      <TextField name="from" label="From" type="date" value={filter.from ?? ''} />
      <TextField name="to" label="To" type="date" value={filter.to ?? ''} />
    </Filters>
  );
}

function NoChanges({ isFiltered, goesOn }: { isFiltered: boolean; goesOn: boolean }): VNode {
  if (goesOn) {
    return (
      <Empty title="Nothing on this page matches" icon="search">
        <p>Words are looked for in 10,000 changes at a time: the next page goes on with older ones.</p>
      </Empty>
    );
  }
  return isFiltered ? (
    <Empty title="No change matches" icon="search">
      <p>Take a filter away, or look at a longer period. Artists are found by their name while they are watched.</p>
    </Empty>
  ) : (
    <Empty title="There are no changes yet">
      <p>The first reading of an artist is the baseline. What is confirmed to differ from it is listed here.</p>
    </Empty>
  );
}

const DAYS = quarterTexts(dateFormats({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }));

/** In the order in which they come, under their days in the member's zone. */
function byDay(changes: readonly ShownChange[], zone: string, locale: string): [string, ShownChange[]][] {
  const days = new Map<string, ShownChange[]>();
  for (const change of changes) {
    const day = DAYS(locale, zone, change.confirmedAt);
    days.set(day, [...(days.get(day) ?? []), change]);
  }
  return [...days];
}
