import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { dateFormats, quarterTexts } from '@artist-watch/domain/date-formats';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesTable } from '../../views/changes-table.js';
import { Filters, Pager, type Pages } from '../../views/filters.js';
import { fieldsOf, optionsOf, Select, TextField } from '../../views/form.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { LOCALE } from '../../views/text.js';
import type { AskedChangesFilter, readChanges } from './query.js';

type FoundChange = Awaited<ReturnType<typeof readChanges>>['changes'][number];

interface ChangesProps extends Pages, Pick<Visit, 'link' | 'zone'>, Pick<AskedChangesFilter, 'typed' | 'errors'> {
  readonly plan: PlanName;
  readonly changes: readonly FoundChange[];
  /** Those that the text in the field of the artist may mean. */
  readonly artists: ReadonlyArray<{ readonly name: string; readonly href: string }>;
  readonly mayBeMoreArtists: boolean;
  /** The same list as CSV. */
  readonly exportHref: string;
}

export function changesView(props: ChangesProps): VNode {
  const { link, zone, plan, typed, errors, changes, artists, mayBeMoreArtists, next, first, exportHref } = props;
  const isFiltered = Object.keys(typed).length > 0;
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
          first. Days are those of your time zone, {zone}.
        </p>
      </PageHead>
      <ChangeFilters action={link('/changes')} isSet={isFiltered} {...{ typed, errors }} />
      {artists.length > 1 && changes.length === 0 ? (
        <Section title="Which artist?">
          {mayBeMoreArtists && <p>These are the first of them; more of the name leads to the others.</p>}
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
      {byDay(changes, zone).map(([day, ofDay]) => (
        <Section title={day}>
          <ChangesTable caption={`Changes of ${day}`} changes={ofDay} link={link} isWide />
        </Section>
      ))}
      <Pager next={next} first={first} />
    </>
  );
}

const TYPES = { '': 'Any', ...optionsOf(Object.keys(CHANGE_TYPES), changeTitle) };
const SEVERITIES = { '': 'Any', critical: 'Critical', warning: 'Warning' };

type FiltersProps = Pick<ChangesProps, 'typed' | 'errors'> & { readonly action: string; readonly isSet: boolean };

function ChangeFilters({ action, isSet, typed, errors }: FiltersProps): VNode {
  const field = fieldsOf(typed, errors);
  // Other detectors report types of their own.
  const other = errors.type === undefined && typed.type !== undefined ? optionsOf([typed.type], changeTitle) : {};
  return (
    <Filters {...{ action, isSet, errors }}>
      <TextField {...field('q', 'Words')} type="search" maxLength={200} />
      <TextField {...field('artist', 'Artist')} type="search" maxLength={200} />
      <Select {...field('type', 'Type')} options={{ ...TYPES, ...other }} />
      <Select {...field('severity', 'Least severity')} options={SEVERITIES} />
      <TextField {...field('entity', 'Id on the platform')} maxLength={255} />
      <TextField {...field('from', 'From')} type="date" />
      <TextField {...field('to', 'To')} type="date" />
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
function byDay(changes: readonly FoundChange[], zone: string): [string, FoundChange[]][] {
  const days = new Map<string, FoundChange[]>();
  for (const change of changes) {
    const day = DAYS(LOCALE, zone, change.confirmedAt);
    days.set(day, [...(days.get(day) ?? []), change]);
  }
  return [...days];
}
