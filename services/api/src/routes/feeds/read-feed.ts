import { ATOM_TYPE, atomFeed, FEED_CHANGES } from '@artist-watch/contracts/api/atom-feed';
import { readFeed as operation } from '@artist-watch/contracts/api/operations/feed-operations';
import { readFeedChanges } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Route } from '../../adapters/http/route.js';
import { oldestOf } from '../../application/reading/history.js';
import { parseChangeFilter, storedFilter } from '../changes/filter-input.js';

/** The newest changes as an Atom feed. */
export function readFeedRoute({ pool }: Database): Route {
  return {
    operation,
    async answer({ identity: { accountId, plan }, query, now }) {
      const asked = parseChangeFilter(query);
      const range = { accountId, since: oldestOf(plan, now), ...asked };
      const { changes } = await readFeedChanges(pool, range, FEED_CHANGES);
      const identity = JSON.stringify([accountId, storedFilter(asked)]);
      return { status: 200, type: ATOM_TYPE, body: atomFeed({ identity, changes }) };
    },
  };
}
