import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page } from '../../application/page.js';
import { readFilter, writeFilter } from './filter.js';
import { readChanges } from './query.js';
import { changesView } from './view.js';

/** `/changes`: the confirmed changes of the account, newest first. */
export function changesPages({ reads }: { readonly reads: Database }): Page[] {
  return [
    {
      method: 'GET',
      path: '/changes',
      answer: async (visit) => {
        const filter = readFilter(visit.query);
        const { changes, next, artists } = await readChanges(reads, visit, filter);
        const path = (change: Partial<typeof filter>) => visit.link(`/changes${writeFilter(change)}`);
        return page(
          'Changes',
          changesView({
            link: visit.link,
            zone: visit.zone,
            locale: visit.locale,
            plan: visit.account.plan,
            filter,
            isFiltered: writeFilter({ ...filter, after: undefined }) !== '',
            changes,
            artists: artists.map(({ id, name }) => ({ name, href: path({ ...filter, artist: id, after: undefined }) })),
            next: next && path({ ...filter, after: next }),
            first: filter.after && path({ ...filter, after: undefined }),
          }),
        );
      },
    },
  ];
}
