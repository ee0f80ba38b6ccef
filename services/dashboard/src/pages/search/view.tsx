import { listEvents } from '@artist-watch/domain/change/change-events';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesList } from '../../views/changes-list.js';
import { ActionButton } from '../../views/form.js';
import { StateBadge } from '../../views/icon.js';
import { currentReader } from '../../views/markup.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import type { findByWords, findOnPlatform } from './query.js';

type Found = NonNullable<Awaited<ReturnType<typeof findOnPlatform | typeof findByWords>>>;

interface SearchProps extends Pick<Visit, 'link'>, Pick<Found, 'artists' | 'changes'> {
  readonly q: string;
  /** Set if the query identifies an artist that the account doesn't watch. */
  readonly platformId?: string | undefined;
  readonly entityId?: string;
  readonly goesOn?: boolean;
}

export function searchView({ link, q, platformId, entityId, artists, changes, goesOn }: SearchProps): VNode {
  const query = `?q=${encodeURIComponent(q)}`;
  const isEmpty = artists.length === 0 && changes.length === 0;
  const nothing = goesOn ? 'Nothing found so far' : 'Nothing found';
  const { platformName } = currentReader();
  const watch = platformId !== undefined && (
    <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
      Watch artist {platformId} on {platformName}
    </ActionButton>
  );
  return (
    <>
      <PageHead title={q === '' ? 'Search' : <bdi>Search: {q}</bdi>}>
        <p>
          Search finds artists that you watch, and their changes. An ID or a {platformName} link opens its page
          directly.
        </p>
      </PageHead>
      {!isEmpty && entityId === undefined && watch}
      {isEmpty && (
        <Empty title={q === '' ? 'Enter a name, an ID or a link' : nothing} icon="search">
          {watch}
          {entityId === undefined && q !== '' && (
            <p>
              <ActionButton action={link('/artists/find')} fields={{ q }}>
                Search {platformName} for an artist with this name
              </ActionButton>
            </p>
          )}
        </Empty>
      )}
      {artists.length > 0 && (
        <Section title="Artists">
          <Table
            caption="Artists"
            isTerse
            rows={artists}
            href={({ id }) => link(`/artists/${id}`)}
            columns={[
              { label: 'Artist', cell: ({ name }) => <bdi>{name}</bdi> },
              { label: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
            ]}
          />
          <p>
            <a href={link(`/artists${query}`)}>All matching artists</a>
          </p>
        </Section>
      )}
      {(changes.length > 0 || goesOn) && (
        <Section title="Changes">
          {changes.length > 0 && <ChangesList label="Changes" events={listEvents(changes)} link={link} />}
          <p>
            {changes.length === 0 ? (
              <>
                None of the newest 10,000 changes match. <a href={link(`/changes${query}`)}>Search older changes</a>
              </>
            ) : entityId === undefined ? (
              <a href={link(`/changes${query}`)}>All matching changes</a>
            ) : (
              <a href={link(`/changes?entity=${encodeURIComponent(entityId)}`)}>All changes with this ID</a>
            )}
          </p>
        </Section>
      )}
    </>
  );
}
