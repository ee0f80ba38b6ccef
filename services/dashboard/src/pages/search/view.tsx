import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { StateBadge } from '../../views/badge.js';
import { ChangesTable } from '../../views/changes-table.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import type { findByWords, findOnPlatform } from './query.js';

type Found = NonNullable<Awaited<ReturnType<typeof findOnPlatform | typeof findByWords>>>;

interface SearchProps extends Pick<Visit, 'link'>, Pick<Found, 'artists' | 'changes'> {
  /** What was typed. */
  readonly q: string;
  /** What was typed is this artist of the platform, whom the account does not watch. */
  readonly platformId?: string | undefined;
  /** What was typed is this id of the platform. */
  readonly entityId?: string;
}

/** The newest of what was found; the lists of artists and of changes go on from there. */
export function searchView({ link, q, platformId, entityId, artists, changes }: SearchProps): VNode {
  const query = `?q=${encodeURIComponent(q)}`;
  return (
    <>
      <PageHead title={q === '' ? 'Search' : <bdi>Search: {q}</bdi>}>
        <p>
          Words find artists that this account watches, and their changes. An id of anything, or an address of the
          platform, leads straight to it.
        </p>
      </PageHead>
      {artists.length === 0 && changes.length === 0 && (
        <Empty title={q === '' ? 'Nothing to look for' : 'Nothing was found'} icon="search">
          {platformId !== undefined && (
            <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
              Watch the artist {platformId} of the platform
            </ActionButton>
          )}
          {platformId === undefined && q !== '' && (
            <p>
              <ActionButton action={link('/artists/find')} fields={{ q }}>
                Search the platform for an artist of this name
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
            <a href={link(`/artists${query}`)}>All artists with these words</a>
          </p>
        </Section>
      )}
      {changes.length > 0 && (
        <Section title="Changes">
          <ChangesTable caption="Changes" changes={changes} link={link} isWide />
          <p>
            {entityId === undefined ? (
              <a href={link(`/changes${query}`)}>All changes with these words</a>
            ) : (
              <a href={link(`/changes?entity=${encodeURIComponent(entityId)}`)}>All changes of this id</a>
            )}
          </p>
        </Section>
      )}
    </>
  );
}
