import type { ConfirmedChange } from '@artist-watch/contracts/api/change';
import type { AccountId } from '@artist-watch/domain/ids';
import { Gate, GateFull } from '@artist-watch/runtime/gate';
import type { Database } from '../database/database.js';
import { readFeedChanges } from './change-reads.js';
import type { FeedRange } from './feed-range.js';

/** A page of some 100 kB. */
const PAGE_CHANGES = 200;

/** In this process: each holds a page of memory for as long as its reader takes. */
const EXPORTS_OF_ACCOUNT = 2;
const EXPORTS = 50;
/** Of the connections, which other reads need too. */
const PAGES_AT_ONCE = 2;
const PAGE_WAIT_MS = 30_000;

export type ChangeExports = ReturnType<typeof changeExports>;

export function changeExports(database: Pick<Database, 'pool'>) {
  const reading = new Gate({ places: PAGES_AT_ONCE, maxWaiting: EXPORTS, maxWaitMs: PAGE_WAIT_MS });
  const underWay: AccountId[] = [];

  return {
    /**
     * The changes of a range, newest first, page by page: each is read by statements of its own when it is asked for, so
     * that a slow reader holds neither a connection nor a snapshot that vacuum waits for. What is confirmed meanwhile is not
     * among them. Nothing is read before the first page is asked for.
     *
     * @throws GateFull before the first page, where too many are under way.
     */
    async *pages(range: Omit<FeedRange, 'after'>): AsyncGenerator<readonly ConfirmedChange[], void> {
      const ofAccount = underWay.filter((accountId) => accountId === range.accountId).length;
      if (ofAccount >= EXPORTS_OF_ACCOUNT || underWay.length >= EXPORTS) throw new GateFull();
      underWay.push(range.accountId);
      try {
        let after: FeedRange['after'];
        do {
          const { changes, next } = await reading.run(() =>
            readFeedChanges(database.pool, { ...range, after }, PAGE_CHANGES),
          );
          yield changes;
          after = next;
        } while (after);
      } finally {
        underWay.splice(underWay.indexOf(range.accountId), 1);
      }
    },
  };
}
