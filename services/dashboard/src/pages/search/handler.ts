import {
  artistIdSchema,
  changeIdSchema,
  deliveryIdSchema,
  destinationIdSchema,
} from '@artist-watch/contracts/api/identifiers';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page, redirect } from '../../application/page.js';
import type { Watching } from '../../application/watching.js';
import { findByWords, findOnPlatform } from './query.js';
import { searchView } from './view.js';

const MAX_CHARS = 200;

/** Where each of our ids is shown; what is not the account's own is not there either. */
const PLACES = [
  [artistIdSchema, '/artists'],
  [changeIdSchema, '/changes'],
  [destinationIdSchema, '/destinations'],
  [deliveryIdSchema, '/deliveries'],
] as const;

interface SearchParts {
  readonly reads: Database;
  readonly watching: Watching;
}

/** `/search`: goes to whatever has the id, ours or the platform's, or lists artists and changes that have the words. */
export function searchPages({ reads, watching }: SearchParts): Page[] {
  return [
    {
      method: 'GET',
      path: '/search',
      answer: async (visit) => {
        const typed = (visit.query.get('q') ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim();
        const q = [...typed].slice(0, MAX_CHARS).join('');
        const place = PLACES.find(([schema]) => schema.safeParse(q).success);
        if (place) return redirect(`${place[1]}/${q}`);
        const found = await findOnPlatform(reads, watching.platform, visit, q);
        if (found?.artistId) return redirect(`/artists/${found.artistId}`);
        const shown = found ?? (await findByWords(reads, watching.intervalFactor, visit, q));
        return page('Search', searchView({ ...visit, q, ...shown }));
      },
    },
  ];
}
