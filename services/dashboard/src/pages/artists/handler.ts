import { ARTIST_STATUSES } from '@artist-watch/contracts/api/artist';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { ArtistId, WatchId } from '@artist-watch/domain/ids';
import { platformUrl } from '@artist-watch/domain/platform/platform-url';
import { NotFound } from '@artist-watch/domain/refusals';
import { watchStore } from '@artist-watch/persistence/account/watches';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page, type Reply, redirect, type Visit } from '../../application/page.js';
import type { Watching } from '../../application/watching.js';
import { addLines, linesOf } from './add-lines.js';
import { addView, resultsView } from './add-view.js';
import { type ArtistsFilter, readArtists, readPlaces } from './query.js';
import { artistsView } from './view.js';

const MAX_LINES = 500;
const MAX_QUERY_CHARS = 200;
const EXAMPLES = {
  deezer: platformUrl('deezer', 'artist', '27'),
  spotify: platformUrl('spotify', 'artist', '4tZwfgrHOc3mvqYlEYSvVi'),
} as const;
const WATCH_ID = /^wat_[0-9a-f]{32}$/;

export interface ArtistsParts {
  readonly reads: Database;
  readonly writes: Database;
  readonly watching: Watching;
}

/** `/artists`: whom the account watches. `/artists/add` takes links and ids, one a line. */
export function artistsPages({ reads, writes, watching }: ArtistsParts): Page[] {
  const watches = () => watchStore(writes, watching.intervalFactor);
  const form = async (visit: Visit, text = '', error?: string): Promise<Reply> => {
    const places = await readPlaces(reads, visit.account, visit.now);
    return page(
      'Add artists',
      addView({ ...visit, places, text, error, example: EXAMPLES[watching.platform] }),
      error === undefined ? 200 : 400,
    );
  };
  return [
    {
      method: 'GET',
      path: '/artists',
      answer: async (visit) => {
        const filter = filterOf(visit.query);
        const shown = await readArtists(reads, watching.intervalFactor, visit, filter);
        return page('Artists', artistsView({ ...visit, ...shown, filter }));
      },
    },
    { method: 'GET', path: '/artists/add', answer: (visit) => form(visit) },
    {
      method: 'POST',
      path: '/artists/add',
      answer: async (visit) => {
        const text = visit.form.get('artists') ?? '';
        const lines = linesOf(text);
        if (lines.length === 0) return form(visit, text, 'Paste at least one link or id.');
        if (lines.length > MAX_LINES) {
          return form(visit, text, `These are ${lines.length} lines. Paste at most ${MAX_LINES} at a time.`);
        }
        const results = await addLines(lines, { watches: watches(), platform: watching.platform }, visit);
        return page('Added artists', resultsView({ ...visit, results }));
      },
    },
    {
      method: 'POST',
      path: '/artists/:artist/stop',
      answer: async ({ account, actor, params, now }) => {
        if (!artistIdSchema.safeParse(params.artist).success) throw new NotFound('artist');
        const { name } = await watches().unwatch(account.id, { artistId: params.artist as ArtistId }, now, actor);
        return redirect('/artists', `${name} is no longer watched.`);
      },
    },
  ];
}

/** What is no filter is left out: the page shows what it filters by. */
function filterOf(query: URLSearchParams): ArtistsFilter {
  const after = query.get('after') ?? '';
  return {
    status: ARTIST_STATUSES.find((status) => status === query.get('status')),
    q: [...(query.get('q') ?? '').replaceAll('\0', '')].slice(0, MAX_QUERY_CHARS).join(''),
    after: WATCH_ID.test(after) ? (after as WatchId) : undefined,
  };
}
