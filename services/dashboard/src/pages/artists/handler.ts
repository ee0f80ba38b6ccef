import { ARTIST_STATUSES } from '@artist-watch/contracts/api/artist';
import type { BulkLine } from '@artist-watch/contracts/api/artist-search';
import { MAX_BULK_LINES } from '@artist-watch/contracts/api/artist-search';
import { MAX_NAME_CHARS } from '@artist-watch/domain/platform/artist-line';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { watchMany } from '@artist-watch/persistence/account/watch-many';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import type { Line } from '@artist-watch/track-lookup/artist/artist-lines';
import { plainLines } from '@artist-watch/track-lookup/artist/artist-lines';
import { bulkWatch, NAMES_DEADLINE_MS } from '@artist-watch/track-lookup/artist/bulk-watch';
import { idOfPath, pagesOf, typedId, typedLine } from '../../application/fields.js';
import { get, type Page, page, post, type Reply, redirect, statusOf, type Visit } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { addView } from './add-view.js';
import { type ArtistsFilter, readArtists, readPlaces, searchByName } from './query.js';
import { resultsView } from './results-view.js';
import { artistsView } from './view.js';

const MAX_QUERY_CHARS = 200;
const EXAMPLES = {
  deezer: platformUrl('deezer', 'artist', '27'),
  spotify: platformUrl('spotify', 'artist', '4tZwfgrHOc3mvqYlEYSvVi'),
} as const;

export function artistsPages(parts: PageParts): Page[] {
  const { reads, writes, watching } = parts;
  const form = async (visit: Visit, text = '', error?: string): Promise<Reply> => {
    const name = typedLine(visit.form.get('q'), MAX_NAME_CHARS);
    const [places, shown] = await Promise.all([
      readPlaces(reads, visit.account, visit.now),
      searchByName(parts, visit, name),
    ]);
    const example = EXAMPLES[watching.platform];
    return page(
      'Add artists',
      addView({ ...visit, places, name, ...shown, text, error, example }),
      error === undefined ? 200 : 400,
    );
  };
  const add = async (visit: Visit): Promise<Reply> => {
    const text = visit.form.get('artists') ?? '';
    const lines = plainLines(text);
    if (lines.length === 0) return form(visit, text, 'Paste at least one link, ID or name.');
    if (lines.length > MAX_BULK_LINES) {
      return form(visit, text, `You pasted ${lines.length} lines. Paste at most ${MAX_BULK_LINES} at a time.`);
    }
    return page('Added artists', resultsView({ ...visit, results: await watchLines(parts, visit, lines) }));
  };
  return [
    get('/artists', 'member', async (visit) => {
      const { filter, errors } = readFilter(visit.query);
      if (statusOf(errors) === 200) await visit.begin('Artists');
      const shown = await readArtists(reads, watching.intervalFactor, visit, filter);
      const { q, status, after } = filter;
      const pages = pagesOf(visit.link('/artists'), { q, status }, ['after', after, shown.next]);
      return page('Artists', artistsView({ ...visit, ...shown, filter, errors, ...pages }), statusOf(errors));
    }),
    get('/artists/add', 'member', (visit) => form(visit)),
    // Each search counts toward the daily limit, so searches use POST.
    post('/artists/find', 'member', (visit) => form(visit)),
    post('/artists/add', 'member', (visit) => add(visit), 'lines'),
    post('/artists/:artist/follow', 'member', async ({ account, actor: by, params, now }) => {
      const artistId = idOfPath('art', 'artist', params.artist);
      const ids = { watchId: newId('wat', now), artistId: newArtistId() };
      const watches = watchStore(writes, watching.intervalFactor);
      const { id, name } = await watches.followMerge({ accountId: account.id, artistId, ids, by, now });
      return redirect(`/artists/${id}`, `You now watch ${name}. Past changes stay in your list.`);
    }),
    post('/artists/:artist/stop', 'member', async ({ account, actor, params, now }) => {
      const artistId = idOfPath('art', 'artist', params.artist);
      const watches = watchStore(writes, watching.intervalFactor);
      const { name } = await watches.unwatch(account.id, { artistId }, now, actor);
      return redirect('/artists', `You no longer watch ${name}. Past changes stay in your list.`);
    }),
  ];
}

function readFilter(query: URLSearchParams) {
  const typed = query.get('status') ?? '';
  const status = ARTIST_STATUSES.find((known) => known === typed);
  const q = [...(query.get('q') ?? '').replaceAll('\0', '')].slice(0, MAX_QUERY_CHARS).join('');
  const filter: ArtistsFilter = { status, q, after: typedId('wat', query.get('after')) };
  return { filter, errors: typed === '' || status ? {} : { status: `must be one of ${ARTIST_STATUSES.join(', ')}` } };
}

function watchLines(
  { writes, watching, tools }: PageParts,
  { account, actor: by, now }: Visit,
  lines: readonly Line[],
): Promise<BulkLine[]> {
  const { platform, intervalFactor } = watching;
  const { id: accountId, plan } = account;
  return bulkWatch(
    {
      platform,
      find: (name) => tools.artists.find(name, { accountId, plan }, now),
      artistAt: (link) => tools.artists.artistAt(link, { accountId, plan }, now),
      monotonicMs: () => performance.now(),
      namesDeadlineMs: NAMES_DEADLINE_MS,
      watch: (artists) => watchMany(writes, intervalFactor, { accountId, platform, artists, by, now }),
      newIds: () => ({ watchId: newId('wat', now), artistId: newArtistId() }),
    },
    lines,
  );
}
