import { get, type Page, page } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { readLive, readOverview } from './query.js';
import { LIVE, liveView, overviewView } from './view.js';

export function overviewPages({ reads, watching, switchOffAfter }: PageParts): Page[] {
  return [
    get('/', 'member', async (visit) => {
      if (visit.fragment === LIVE) {
        const live = await readLive(reads, watching, visit);
        return { kind: 'fragment', body: liveView({ ...visit, ...live, switchOffAfter }) };
      }
      await visit.begin('Overview');
      const shown = await readOverview(reads, watching, visit);
      return page('Overview', overviewView({ ...visit, ...shown, switchOffAfter }));
    }),
  ];
}
