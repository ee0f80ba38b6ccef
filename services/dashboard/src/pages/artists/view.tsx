import { ARTIST_STATUSES } from '@artist-watch/contracts/api/artist';
import type { Platform } from '@artist-watch/domain/catalogue';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import type { ArtistColumn, ArtistRow, ArtistSort } from '@artist-watch/persistence/account/artist-list';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Filters, GroupSelect, Pager } from '../../views/filters.js';
import { Confirmation, fieldsOf, LinkButton, optionsById, optionsOf, Select, TextField } from '../../views/form.js';
import { GroupTag, StateBadge } from '../../views/icon.js';
import { shortTime } from '../../views/instant.js';
import { currentReader } from '../../views/markup.js';
import { PageHead } from '../../views/page-head.js';
import { Empty, NoArtistsYet } from '../../views/states.js';
import { counted, numberText, ofText } from '../../views/text.js';
import type { readArtists } from './query.js';

type Field = 'q' | 'status' | 'group' | 'sort' | 'page';

interface ArtistsProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readArtists>> {
  readonly platform: Platform;
  readonly typed: Readonly<Partial<Record<Field, string>>>;
  readonly errors: Readonly<Partial<Record<Field, string>>>;
  readonly sort: ArtistSort;
  readonly number: number;
  readonly hrefOf: (fields: Readonly<Partial<Record<Field, string>>>) => string;
}

const STATUSES = { '': 'Any', ...optionsOf(ARTIST_STATUSES, changeTitle), stale: 'Overdue' };

const COLUMNS = {
  name: 'Artist',
  releases: 'Releases',
  followers: 'Followers',
  growth: 'Followers, 7 days',
  changed: 'Last change',
};

const MENU = 'menu';

export function artistsView(props: ArtistsProps): VNode {
  const { link, places, artists, groups, total, start, typed, errors, number, hrefOf } = props;
  const field = fieldsOf(typed, errors);
  const isFiltered = Object.keys(typed).length > 0;
  const noArtists =
    total > 0 ? (
      <Empty title={`There are only ${counted(total, 'artist')}`} icon="search">
        <a href={hrefOf({})}>First page</a>
      </Empty>
    ) : isFiltered ? (
      <Empty title="No artists match" icon="search" />
    ) : (
      <NoArtistsYet link={link} />
    );
  return (
    <>
      <PageHead
        title="Artists"
        badges={<span class="soft">{ofText(places.used, places.limit)}</span>}
        actions={
          <>
            <LinkButton href={link('/groups')} label="Groups" />
            <LinkButton href={link('/artists/add')} icon="plus" look="primary" label="Add artists" />
          </>
        }
      />
      <Filters
        action={link('/artists')}
        typed={{ q: typed.q, status: typed.status, group: typed.group }}
        errors={{ ...errors }}
        search={<TextField {...field('q', 'Search artists')} type="search" maxLength={200} />}
      >
        <Select {...field('status', 'Status')} options={STATUSES} />
        <GroupSelect {...field('group', 'Group')} groups={groups} />
        {typed.sort !== undefined && <input type="hidden" name="sort" value={typed.sort} />}
      </Filters>
      {artists.length === 0 ? (
        noArtists
      ) : (
        <>
          <form class="section" method="post" action={link('/artists/stop')}>
            {/* Without this default button, pressing Enter in a checkbox would stop watching the selected artists. */}
            <button type="submit" formmethod="get" formaction={link('/artists')} hidden />
            <ArtistsTable {...props} />
            <div class="row bulk">
              <span class="soft">For the selected artists:</span>
              {groups.length > 0 && (
                <>
                  <Select name="to" label="Group" options={optionsById(groups)} />
                  <button type="submit" formaction={link('/artists/group')}>
                    Add to group
                  </button>
                  <button type="submit" formaction={link('/artists/group')} name="change" value="remove">
                    Remove from group
                  </button>
                </>
              )}
              <details class="confirmation">
                <summary class="button danger">Stop watching…</summary>
                <div class="confirmation-body">
                  <p>Stop watching the selected artists? Past changes stay in your list.</p>
                  <button type="submit" class="danger">
                    Stop watching
                  </button>
                </div>
              </details>
            </div>
          </form>
          <RowMenu {...props} />
          <Pager
            label={`${numberText(start + 1)}–${ofText(start + artists.length, total)}`}
            first={number === 1 ? undefined : hrefOf({})}
            next={start + artists.length < total ? hrefOf({ page: String(number + 1) }) : undefined}
          />
        </>
      )}
    </>
  );
}

function ArtistsTable({ artists, groups, sort, hrefOf }: ArtistsProps): VNode {
  const known = new Map(groups.map((group) => [group.id, <GroupTag {...group} />]));
  const sorted = sort.replace('-', '');
  const order = sort.startsWith('-') ? 'descending' : 'ascending';
  return (
    <table class="artists">
      <caption class="unseen">Artists</caption>
      <thead>
        <tr>
          <td />
          {(Object.keys(COLUMNS) as ArtistColumn[]).map((name) => (
            <th scope="col" aria-sort={name === sorted ? order : undefined}>
              <a href={hrefOf({ sort: sort === `-${name}` || (name === 'name' && sort !== name) ? name : `-${name}` })}>
                {COLUMNS[name]}
                {name === sorted && (order === 'descending' ? ' ↓' : ' ↑')}
              </a>
            </th>
          ))}
          <th scope="col">Group</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {artists.map((artist) => (
          <Row artist={artist} tags={artist.groupIds.flatMap((id) => known.get(id) ?? [])} />
        ))}
      </tbody>
    </table>
  );
}

/**
 * The markup is kept short, because a page has 100 rows: the link is relative, and the stylesheet aligns columns by
 * position.
 */
function Row({ artist, tags }: { readonly artist: ArtistRow; readonly tags: readonly VNode[] }): VNode {
  const { id, platformId, name, status, releases, followers, growth, changedAt } = artist;
  const { zone } = currentReader();
  return (
    <tr>
      <td>
        <input type="checkbox" name="artist" value={id} aria-label={`Select ${name}`} />
      </td>
      <td>
        <a class="row-link" href={`artists/${id}`} dir="auto">
          {name}
        </a>
        {status !== 'active' && <StateBadge state={status} isPlain />}
      </td>
      <td>{numberText(releases)}</td>
      <td>{numberText(followers)}</td>
      <td>{growth === null ? '–' : signed(growth)}</td>
      <td>{changedAt === null ? '–' : <time datetime={changedAt.toISOString()}>{shortTime(changedAt, zone)}</time>}</td>
      <td>{tags}</td>
      <td>
        <button type="button" popovertarget={MENU} value={platformId} aria-label={`Menu for ${name}`}>
          ⋯
        </button>
      </td>
    </tr>
  );
}

function signed(growth: number): string {
  return `${growth < 0 ? '−' : growth > 0 ? '+' : ''}${numberText(Math.abs(growth))}`;
}

/**
 * A script fills in the row's artist. Without scripts, members can use the checkboxes and the artist's page instead.
 */
function RowMenu({ link, platform }: ArtistsProps): VNode {
  return (
    <div id={MENU} class="menu" popover="auto">
      <LinkButton href={link('/changes?artist=')} data-end="artist" icon="activity" label="Changes" />
      <LinkButton
        href={platformUrl(platform, 'artist', '')}
        data-end="platformId"
        rel="noreferrer"
        icon="external-link"
        label={`Open on ${currentReader().platformName}`}
      />
      <Confirmation
        label="Stop watching"
        question={
          <>
            Stop watching <bdi data-name />? Past changes stay in your list.
          </>
        }
        action={link('/artists/stop')}
        fields={{ artist: '' }}
        look="danger"
      />
    </div>
  );
}
