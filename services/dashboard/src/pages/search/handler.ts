import {
  artistIdSchema,
  changeIdSchema,
  deliveryIdSchema,
  destinationIdSchema,
} from '@artist-watch/contracts/api/identifiers';
import { get, type Page, page, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { findByWords, findOnPlatform } from './query.js';
import { searchView } from './view.js';

const MAX_CHARS = 200;

/** Where each of our ids has a page; what is not the account's own is not there either. */
const PLACES = [
  [artistIdSchema, '/artists'],
  [changeIdSchema, '/changes'],
  [destinationIdSchema, '/destinations'],
  [deliveryIdSchema, '/deliveries'],
] as const;

/** Those that stand in a list. */
const LISTS: Readonly<Record<string, string>> = { key: '/keys', mem: '/members', fed: '/feeds' };
const LISTED_ID = /^(key|mem|fed)_[0-9a-f]{32}$/;

/** `/search`: goes to whatever has the id, ours or the platform's, or lists artists and changes that have the words. */
export function searchPages({ reads, watching }: PageParts): Page[] {
  return [
    get('/search', 'member', async (visit) => {
      const typed = (visit.query.get('q') ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim();
      const q = [...typed].slice(0, MAX_CHARS).join('');
      const place = PLACES.find(([schema]) => schema.safeParse(q).success);
      if (place) return redirect(`${place[1]}/${q}`);
      const list = LISTS[LISTED_ID.exec(q)?.[1] ?? ''];
      if (list !== undefined) return redirect(list);
      const found = await findOnPlatform(reads, watching.platform, visit, q);
      if (found?.artistId) return redirect(`/artists/${found.artistId}`);
      const shown = found ?? (await findByWords(reads, watching.intervalFactor, visit, q));
      return page('Search', searchView({ ...visit, q, ...shown }));
    }),
  ];
}
