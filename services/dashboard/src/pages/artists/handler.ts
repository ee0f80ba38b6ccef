import { artistFilterSchema, createGroupSchema } from '@artist-watch/contracts/api/artist';
import { type BulkLine, MAX_BULK_LINES } from '@artist-watch/contracts/api/artist-search';
import type { ArtistId } from '@artist-watch/domain/ids';
import { MAX_NAME_CHARS } from '@artist-watch/domain/platform/platform-address';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { NotFound } from '@artist-watch/domain/refusals';
import { ARTIST_SORTS, watchedAmong } from '@artist-watch/persistence/account/artist-list';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { watchMany } from '@artist-watch/persistence/account/watch-many';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { newId } from '@artist-watch/runtime/ids';
import { bulkWatch, type Line, plainLines } from '@artist-watch/track-lookup/bulk-watch';
import { z } from 'zod';
import { addressOf, idOfPath, readFields, typedId, typedLine } from '../../application/fields.js';
import {
  actOrExplain,
  get,
  type Page,
  type PageProblem,
  page,
  post,
  type Reply,
  redirect,
  statusOf,
  type Visit,
} from '../../application/page.js';
import { counted } from '../../views/text.js';
import type { PageParts } from '../parts.js';
import { addView, resultsView } from './add-view.js';
import { groupsView } from './groups-view.js';
import { readArtists, readPlaces, searchByName } from './query.js';
import { artistsView } from './view.js';

const EXAMPLE_IDS = { deezer: '27', spotify: '4tZwfgrHOc3mvqYlEYSvVi' } as const;

/** Serves the pages about the list of artists and its groups. */
export function artistsPages(parts: PageParts): Page[] {
  const { reads, writes, watching } = parts;
  const form = async (visit: Visit, text = '', error?: string): Promise<Reply> => {
    const name = typedLine(visit.form.get('q'), MAX_NAME_CHARS);
    const [places, shown] = await Promise.all([
      readPlaces(reads, visit.account, visit.now),
      searchByName(parts, visit, name),
    ]);
    const example = platformUrl(watching.platform, 'artist', EXAMPLE_IDS[watching.platform]);
    const view = { ...visit, places, name, ...shown, text, error, example };
    return page('Add artists', addView(view), error === undefined ? 200 : 400);
  };
  const add = async (visit: Visit): Promise<Reply> => {
    const text = [...visit.form].flatMap(([name, value]) => (name.startsWith('artists') ? [value] : [])).join('\n');
    const lines = plainLines(text);
    if (lines.length === 0) return form(visit, text, 'Paste at least one link, ID or name.');
    if (lines.length > MAX_BULK_LINES) {
      return form(visit, text, `You pasted ${lines.length} lines. Paste at most ${MAX_BULK_LINES} at a time.`);
    }
    return page('Added artists', resultsView({ ...visit, results: await watchLines(parts, visit, lines) }));
  };
  const stop = async ({ account, actor, form, now }: Visit): Promise<Reply> => {
    const stopped = await watchStore(writes).unwatch(account.id, selectedArtists(form), now, actor);
    const named = stopped.length === 1 ? stopped[0]?.name : counted(stopped.length, 'artist');
    return redirect('/artists', `You no longer watch ${named}. Past changes stay in your list.`);
  };
  const regroup = async ({ account: { id: accountId }, actor: by, form, now }: Visit): Promise<Reply> => {
    const id = idOfPath('grp', 'group', form.get('to') ?? '');
    const isRemoved = form.get('change') === 'remove';
    const ids = { [isRemoved ? 'removeArtistIds' : 'addArtistIds']: selectedArtists(form) };
    const { name, artists } = await groupStore(writes).update({ id, accountId, by, now, ...ids });
    return redirect('/artists', `The group “${name}” has ${counted(artists, 'artist')} now.`);
  };
  return [
    get('/artists', 'member', async (visit) => {
      const { typed, read, errors } = readFields(visit.query, FIELDS);
      if (statusOf(errors) === 200) await visit.begin('Artists');
      const { page: number = 1, sort = '-changed', group: group_id, ...rest } = read;
      const shown = await readArtists(reads, watching.intervalFactor, visit, { ...rest, group_id, sort, page: number });
      const hrefOf = (fields: Readonly<Record<string, string>>) =>
        addressOf(visit.link('/artists'), { ...typed, page: undefined, ...fields });
      const view = { ...visit, ...shown, platform: watching.platform, typed, errors, sort, number, hrefOf };
      return page('Artists', artistsView(view), statusOf(errors));
    }),
    get('/artists/add', 'member', (visit) => form(visit)),
    // Uses POST, because each search counts toward the daily limit.
    post('/artists/find', 'member', (visit) => form(visit)),
    post('/artists/add', 'member', add, 'lines'),
    post('/artists/:artist/follow', 'member', async ({ account, actor: by, params, now }) => {
      const artistId = idOfPath('art', 'artist', params.artist);
      const watches = watchStore(writes, watching.intervalFactor);
      const { id, name } = await watches.followMerge({ accountId: account.id, artistId, by, now });
      return redirect(`/artists/${id}`, `You now watch ${name}. Past changes stay in your list.`);
    }),
    post('/artists/stop', 'member', stop, 'artists'),
    post('/artists/group', 'member', regroup, 'artists'),
    ...groupsPages(parts),
  ];
}

function selectedArtists(form: URLSearchParams): ArtistId[] {
  return form.getAll('artist').flatMap((id) => typedId('art', id) ?? []);
}

const { q, status, group_id: group } = artistFilterSchema.shape;

const FIELDS = {
  q,
  status,
  group,
  sort: z.enum(ARTIST_SORTS, 'must be a column from the list'),
  page: z.coerce.number().int().min(1).max(100),
};

async function watchLines(
  { reads, writes, watching, tools }: PageParts,
  { account, actor: by, now }: Visit,
  lines: readonly Line[],
): Promise<BulkLine[]> {
  const { platform, intervalFactor } = watching;
  const { id: accountId, plan } = account;
  const caller = { accountId, plan };
  const texts = lines.map(({ text }) => text);
  const watched = await watchedAmong(reads.pool, accountId, platform, texts);
  return bulkWatch(
    {
      platform,
      find: (name) => tools.artists.find(name, caller, now),
      findId: async (id) => (watched.has(id) ? {} : tools.artists.findId(id, caller, now)),
      artistAt: (link) => tools.artists.artistAt(link, caller, now),
      watch: (artists) => watchMany(writes, intervalFactor, { accountId, platform, artists, by, now }),
    },
    lines,
  );
}

function groupsPages({ reads, writes }: PageParts): Page[] {
  const store = groupStore(writes);
  const named = ({ account: { id: accountId }, actor: by, params, now }: Visit) => ({
    accountId,
    by,
    now,
    id: params.group === undefined ? newId('grp', now) : idOfPath('grp', 'group', params.group),
  });
  const show = async ({ account, link, form, params }: Visit, problem?: PageProblem): Promise<Reply> => {
    const groups = await groupStore(reads).list(account.id);
    const edited = groups.find(({ id }) => id === params.group);
    if (params.group !== undefined && !edited) throw new NotFound('group');
    const typed = { name: form.get('name') ?? edited?.name ?? '', color: form.get('color') ?? edited?.color ?? '' };
    return page('Groups', groupsView({ link, groups, edited, typed, problem: problem?.text }), problem?.status);
  };
  const save = async (visit: Visit): Promise<Reply> => {
    const read = createGroupSchema.safeParse({
      name: (visit.form.get('name') ?? '').trim(),
      color: visit.form.get('color'),
    });
    if (!read.success) return show(visit, { text: 'Enter a name of 1 to 50 characters.', status: 400 });
    const { name, color = 'gray' } = read.data;
    const group = { ...named(visit), name, color };
    return actOrExplain(visit, show, async () => {
      await (visit.params.group === undefined ? store.create(group) : store.update(group));
      return redirect('/groups', `Group “${name}” saved.`);
    });
  };
  return [
    get('/groups', 'member', (visit) => show(visit)),
    get('/groups/:group', 'member', (visit) => show(visit)),
    post('/groups', 'member', save),
    post('/groups/:group', 'member', save),
    post('/groups/:group/delete', 'member', (visit) =>
      actOrExplain(visit, show, async () => {
        const { name } = await store.delete(named(visit));
        return redirect('/groups', `Group “${name}” deleted. You keep watching its artists.`);
      }),
    ),
  ];
}
