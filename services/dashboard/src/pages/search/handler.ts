import { typedId, typedLine } from '../../application/fields.js';
import { get, type Page, page, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { findByWords, findOnPlatform } from './query.js';
import { searchView } from './view.js';

const MAX_CHARS = 200;

/** Pages by id prefix. They return 404 for ids of other accounts. */
const PAGES = { art: '/artists/', chg: '/changes/', dst: '/destinations/', dlv: '/deliveries/' } as const;
/** Lists for ids that have no page, by prefix. */
const LISTS = { key: '/keys', mem: '/members', fed: '/feeds' } as const;

/** An id, ours or the platform's, redirects to its page. Other queries list matching artists and changes. */
export function searchPages({ reads, watching }: PageParts): Page[] {
  return [
    get('/search', 'member', async (visit) => {
      const q = typedLine(visit.query.get('q'), MAX_CHARS);
      for (const [prefix, path] of Object.entries(PAGES)) if (typedId(prefix, q)) return redirect(`${path}${q}`);
      for (const [prefix, path] of Object.entries(LISTS)) if (typedId(prefix, q)) return redirect(path);
      const found = await findOnPlatform(reads, watching.platform, visit, q);
      if (found?.artistId) return redirect(`/artists/${found.artistId}`);
      if (found && (found.changes.length > 0 || found.platformId !== q)) {
        return page('Search', searchView({ ...visit, q, ...found }));
      }
      // An artist's name may look like an id, such as 311.
      const named = await findByWords(reads, watching.intervalFactor, visit, q);
      return page('Search', searchView({ ...visit, q, platformId: found?.platformId, ...named }));
    }),
  ];
}
