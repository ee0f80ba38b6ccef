import type { ArtistStatus } from '@artist-watch/contracts/api/artist';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { StopWatching } from '../../views/action.js';
import { StateBadge } from '../../views/badge.js';
import { Filters, Pager, type Pages } from '../../views/filters.js';
import { Select, TextField } from '../../views/form.js';
import { Icon } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { Meter, PageHead, Section } from '../../views/page-head.js';
import { Empty, NoArtistsYet } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';
import type { ArtistsFilter, readArtists } from './query.js';

interface ArtistsProps
  extends Pick<Visit, 'link' | 'now'>,
    Omit<Awaited<ReturnType<typeof readArtists>>, 'next'>,
    Pages {
  readonly filter: ArtistsFilter;
  readonly errors: { readonly status?: string };
}

const STATUSES: Readonly<Record<ArtistStatus | '', string>> = {
  '': 'Any',
  active: 'Active',
  pending: 'Pending: not checked yet',
  stale: 'Overdue: no full check',
  not_found: 'Not found',
  merged: 'Merged into another artist',
};

export function artistsView({ link, now, artists, places, filter, errors, first, next }: ArtistsProps): VNode {
  const { status, q } = filter;
  const isFiltered = status !== undefined || q !== '';
  return (
    <>
      <PageHead
        title="Artists"
        actions={
          <a class="button primary" href={link('/artists/add')}>
            <Icon name="plus" />
            Add artists
          </a>
        }
      >
        <p>The artists that you watch, in the order in which you added them.</p>
      </PageHead>
      <Section title="Watched artists">
        <Meter label="Artists used" value={places.used} max={places.limit} />
        <Filters
          action={link('/artists')}
          typed={{ q, status }}
          errors={{ ...errors }}
          search={<TextField name="q" label="Name or ID" type="search" value={q} maxLength={200} />}
        >
          <Select name="status" label="Status" value={status ?? ''} error={errors.status} options={STATUSES} />
        </Filters>
        <Table
          empty={<NoArtists link={link} isFiltered={isFiltered || first !== undefined} />}
          caption="Artists"
          isTerse
          rows={artists}
          href={({ id }) => link(`/artists/${id}`)}
          isMarked={({ status: shown }) => shown === 'stale' || shown === 'merged'}
          columns={[
            { label: 'Artist', cell: ({ name }) => name },
            { label: 'Status', cell: ({ status: shown }) => <StateBadge state={shown} /> },
            {
              label: 'Last full check',
              priority: 2,
              cell: ({ last_complete_at: at }) =>
                at === null ? (
                  'None yet'
                ) : (
                  <>
                    <span class="narrow">checked </span>
                    <Instant at={new Date(at)} />
                  </>
                ),
            },
            {
              label: 'Next check',
              priority: 3,
              cell: ({ next_read_at: at }) => <NextCheck at={new Date(at)} now={now} />,
            },
            {
              label: 'Followers',
              numeric: true,
              cell: ({ followers, metrics }) =>
                metrics.followers === 'available' ? (
                  <>
                    {numberText(followers)}
                    <span class="narrow"> followers</span>
                  </>
                ) : (
                  '–'
                ),
            },
            {
              label: 'Stop',
              isAction: true,
              cell: (artist) => <StopWatching {...{ artist, link }} label="Stop" unseen={` watching ${artist.name}`} />,
            },
          ]}
        />
        <Pager {...{ first, next }} />
      </Section>
    </>
  );
}

function NextCheck({ at, now }: { readonly at: Date; readonly now: Date }): VNode {
  return at < now ? (
    <>
      due <Instant at={at} />
    </>
  ) : (
    <span class="roomy">
      <Instant at={at} />
    </span>
  );
}

function NoArtists({ link, isFiltered }: { readonly link: ArtistsProps['link']; readonly isFiltered: boolean }): VNode {
  if (!isFiltered) return <NoArtistsYet link={link} />;
  return (
    <Empty title="No artist matches" icon="search">
      <p>
        <a href={link('/artists')}>Show all artists</a>
      </p>
    </Empty>
  );
}
