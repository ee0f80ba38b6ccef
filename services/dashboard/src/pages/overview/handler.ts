import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page } from '../../application/page.js';
import type { Watching } from '../../application/watching.js';
import { readLive, readOverview } from './query.js';
import { LIVE, liveView, overviewView } from './view.js';

/** The account's own address: what is wrong now, what is being checked, and what changed. */
export function overviewPages({
  reads,
  watching,
  switchOffAfter,
}: {
  readonly reads: Database;
  readonly watching: Watching;
  readonly switchOffAfter: number;
}): Page[] {
  return [
    {
      method: 'GET',
      path: '/',
      answer: async (visit, begin) => {
        if (visit.fragment === LIVE) {
          return { kind: 'fragment', body: liveView({ ...visit, ...(await readLive(reads, watching, visit)) }) };
        }
        await begin('Overview');
        const shown = await readOverview(reads, watching, visit);
        return page('Overview', overviewView({ ...visit, ...shown, switchOffAfter }));
      },
    },
  ];
}
