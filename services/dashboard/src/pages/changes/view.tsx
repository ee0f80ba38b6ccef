import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { type ListedEvent, listEvents } from '@artist-watch/domain/change/change-events';
import { CHANGE_STATUSES, CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { dateFormats, quarterTexts } from '@artist-watch/domain/zoned-time';
import type { GroupRecord } from '@artist-watch/persistence/account/groups';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesList } from '../../views/changes-list.js';
import { Filters, GroupSelect, Pager, type Pages } from '../../views/filters.js';
import { fieldsOf, LinkButton, optionsOf, Select, TextField } from '../../views/form.js';
import { currentReader } from '../../views/markup.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty, NothingSoFar } from '../../views/states.js';
import { daysText, LOCALE } from '../../views/text.js';
import type { AskedChangesFilter, readChanges } from './query.js';

type FoundChange = Awaited<ReturnType<typeof readChanges>>['changes'][number];

interface ChangesProps extends Pages, Pick<Visit, 'link' | 'zone'>, Pick<AskedChangesFilter, 'typed' | 'errors'> {
  readonly plan: PlanName;
  readonly changes: readonly FoundChange[];
  readonly artists: ReadonlyArray<{ readonly name: string; readonly href: string }>;
  readonly mayBeMoreArtists: boolean;
  readonly groups: readonly GroupRecord[];
  readonly exportHref: string;
  readonly here: string;
}

export function changesView(props: ChangesProps): VNode {
  const { link, zone, plan, typed, errors, changes, artists, groups, mayBeMoreArtists, next, first, exportHref, here } =
    props;
  const isFiltered = Object.keys(typed).length > 0;
  const field = fieldsOf(typed, errors);
  // The list doesn't include types from other detectors, so add the current one as an option.
  const other = errors.type === undefined && typed.type !== undefined ? optionsOf([typed.type], changeTitle) : {};
  return (
    <>
      <PageHead
        title="Changes"
        actions={
          <>
            <LinkButton href={exportHref} label="Download CSV" download />
            <LinkButton href={link('/feeds')} label="Feeds" />
          </>
        }
      >
        <p>
          Confirmed changes from the last {daysText(PLANS[plan].historyDays)}, newest first. Times are in {zone}, your
          time zone.
        </p>
      </PageHead>
      <Filters
        {...{ action: link('/changes'), typed, errors }}
        search={<TextField {...field('q', 'Search changes')} type="search" maxLength={200} />}
      >
        <Select {...field('type', 'Type')} options={{ ...TYPES, ...other }} />
        <Select {...field('severity', 'Minimum severity')} options={SEVERITIES} />
        <Select {...field('status', 'Status')} options={STATUSES} />
        <GroupSelect {...field('group', 'Group')} groups={groups} />
        <TextField {...field('artist', 'Artist')} type="search" maxLength={200} />
        <TextField {...field('entity', `${currentReader().platformName} ID`)} maxLength={255} />
        <div class="period">
          <TextField {...field('from', 'From')} type="date" />
          <TextField {...field('to', 'To')} type="date" />
        </div>
      </Filters>
      {artists.length > 1 && changes.length === 0 ? (
        <Section title="Which artist?">
          {mayBeMoreArtists && <p>More artists match. To see them, enter more of the name.</p>}
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
      {byDay(listEvents(changes), zone).map(([day, events]) => (
        <Section title={day}>
          <ChangesList label={`Changes on ${day}`} events={events} link={link} form={BULK} />
        </Section>
      ))}
      {changes.length > 0 && <BulkActions action={link('/changes/handling')} list={here} />}
      <Pager next={next} first={first} />
    </>
  );
}

const TYPES = { '': 'Any', ...optionsOf(Object.keys(CHANGE_TYPES), changeTitle) };
const STATUSES = { '': 'Any', ...optionsOf(CHANGE_STATUSES, changeTitle) };
const SEVERITIES = { '': 'Any', critical: 'Critical', warning: 'Warning' };

const BULK = 'bulk';

function BulkActions({ action, list }: { readonly action: string; readonly list: string }): VNode {
  return (
    <form method="post" action={action} id={BULK} class="row bulk">
      <input type="hidden" name="list" value={list} />
      <span class="soft">For the selected changes:</span>
      <button type="submit" name="status" value="handled">
        Mark as handled
      </button>
      <button type="submit" name="status" value="expected">
        Mark as expected
      </button>
      <button type="submit" name="status" value="open">
        Reopen
      </button>
    </form>
  );
}

function NoChanges({ isFiltered, goesOn }: { isFiltered: boolean; goesOn: boolean }): VNode {
  if (goesOn) return <NothingSoFar what="changes" />;
  return isFiltered ? (
    <Empty title="No changes match" icon="search">
      <p>Remove a filter, or choose a longer period. The artist filter finds only artists that you watch.</p>
    </Empty>
  ) : (
    <Empty title="No changes yet">
      <p>We compare every check of an artist with earlier checks. Confirmed differences appear here.</p>
    </Empty>
  );
}

const DAYS = quarterTexts(dateFormats({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }));

function byDay(events: readonly ListedEvent[], zone: string): [string, ListedEvent[]][] {
  const days = new Map<string, ListedEvent[]>();
  for (const event of events) {
    const day = DAYS(LOCALE, zone, event.newest.confirmedAt);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}
