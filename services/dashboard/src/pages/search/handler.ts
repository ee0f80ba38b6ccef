import { typedId, typedLine } from '../../application/fields.js';
import { get, type Page, page, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { findByWords, findOnPlatform } from './query.js';
import { searchView } from './view.js';

const MAX_CHARS = 200;

/** Pages by id prefix. They return 404 if the id belongs to another account. */
const PAGES = { art: '/artists/', chg: '/changes/', dst: '/destinations/', dlv: '/deliveries/' } as const;
/** Lists to redirect to if an id doesn't have its own page, by id prefix. */
const LISTS = { key: '/keys', mem: '/members', fed: '/feeds' } as const;

/**
 * If the query is an id (ours or the platform's), redirects to the page for that id. Any other query lists matching
 * artists and changes.
 */
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
      // The query may be an artist's name that looks like an id, such as 311.
      const named = await findByWords(reads, watching.intervalFactor, visit, q);
      return page('Search', searchView({ ...visit, q, platformId: found?.platformId, ...named }));
    }),
  ];
}
