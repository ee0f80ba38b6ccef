import { get, type Page, page } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { readLive, readOverview } from './query.js';
import { LIVE, liveView, overviewView } from './view.js';

/** The account's own address: what is wrong now, what is being checked, and what changed. */
export function overviewPages({ reads, watching, switchOffAfter }: PageParts): Page[] {
  return [
    get('/', 'member', async (visit) => {
      if (visit.fragment === LIVE) {
        return { kind: 'fragment', body: liveView({ ...visit, ...(await readLive(reads, watching, visit)) }) };
      }
      await visit.begin('Overview');
      const shown = await readOverview(reads, watching, visit);
      return page('Overview', overviewView({ ...visit, ...shown, switchOffAfter }));
    }),
  ];
}
