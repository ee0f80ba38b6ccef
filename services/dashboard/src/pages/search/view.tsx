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
  /** There are older changes, which the words were not compared with. */
  readonly goesOn?: boolean;
}

/** The newest of what was found; the lists of artists and of changes go on from there. */
export function searchView({ link, q, platformId, entityId, artists, changes, goesOn }: SearchProps): VNode {
  const query = `?q=${encodeURIComponent(q)}`;
  const isEmpty = artists.length === 0 && changes.length === 0;
  const nothing = goesOn ? 'Nothing was found so far' : 'Nothing was found';
  const watch = platformId !== undefined && (
    <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
      Watch the artist {platformId} of the platform
    </ActionButton>
  );
  return (
    <>
      <PageHead title={q === '' ? 'Search' : <bdi>Search: {q}</bdi>}>
        <p>
          Words find artists that this account watches, and their changes. An id of anything, or an address of the
          platform, leads straight to it.
        </p>
      </PageHead>
      {!isEmpty && entityId === undefined && watch}
      {isEmpty && (
        <Empty title={q === '' ? 'Nothing to look for' : nothing} icon="search">
          {watch}
          {entityId === undefined && q !== '' && (
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
      {(changes.length > 0 || goesOn) && (
        <Section title="Changes">
          {changes.length > 0 && <ChangesTable caption="Changes" changes={changes} link={link} isWide />}
          <p>
            {changes.length === 0 ? (
              <>
                None of the newest 10,000 has these words. <a href={link(`/changes${query}`)}>The list</a> goes on with
                older ones.
              </>
            ) : entityId === undefined ? (
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
