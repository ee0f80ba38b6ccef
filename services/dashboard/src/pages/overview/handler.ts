import { type FeedStore, feedStore } from '@artist-watch/persistence/change/feed-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page } from '../../application/page.js';
import type { Watching } from '../../application/watching.js';
import { readOverview } from './query.js';
import { overviewView } from './view.js';

/** The account's own address: what is wrong now, what is being checked, and what changed last. */
export function overviewPages({ reads, watching }: { readonly reads: Database; readonly watching: Watching }): Page[] {
  let feed: FeedStore | undefined;
  return [
    {
      method: 'GET',
      path: '/',
      answer: async (visit) => {
        // One for all requests: it keeps the changes that it has made into items.
        feed ??= feedStore(reads);
        return page('Overview', overviewView({ ...visit, ...(await readOverview(reads, feed, watching, visit)) }));
      },
    },
  ];
}
