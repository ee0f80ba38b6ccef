import type { ConfirmedChange } from '@artist-watch/contracts/api/change';
import type { PlanName } from '@artist-watch/domain/account/plans';
import { Gate, GateFull } from '@artist-watch/runtime/gate';
import type { Database } from '../database/database.js';
import { readFeedChanges } from './change-reads.js';
import type { FeedRange } from './feed-range.js';

/** A page of some 100 kB. */
const PAGE_CHANGES = 200;

/** In this process: each uses the memory of a page for as long as its reader takes. */
const EXPORTS_OF_ACCOUNT = 2;
/** Each plan has its own slots, so that many small accounts take none from larger ones. */
const EXPORTS_OF_PLAN: Readonly<Record<PlanName, number>> = { free: 10, starter: 10, pro: 15, business: 25 };
const EXPORTS = Object.values(EXPORTS_OF_PLAN).reduce((sum, slots) => sum + slots, 0);
/** Of the connections, which other reads need too. */
const PAGES_AT_ONCE = 2;
const PAGE_WAIT_MS = 30_000;

export interface ExportRequest extends FeedRange {
  readonly plan: PlanName;
  /**
   * Called before each page after the first: from when on the account may read now. Rejects when the caller has lost its
   * right, which ends the export.
   */
  readonly sinceNow: () => Promise<Date>;
}

export type ChangeExports = ReturnType<typeof changeExports>;

export function changeExports(database: Pick<Database, 'pool'>) {
  const reading = new Gate({ maxRunning: PAGES_AT_ONCE, maxWaiting: EXPORTS, maxWaitMs: PAGE_WAIT_MS });
  const underWay: Pick<ExportRequest, 'accountId' | 'plan'>[] = [];

  function takeSlot({ accountId, plan }: ExportRequest) {
    const ofPlan = underWay.filter((other) => other.plan === plan);
    const ofAccount = ofPlan.filter((other) => other.accountId === accountId).length;
    // The last half of the slots is for accounts that have none.
    const isScarce = ofPlan.length >= EXPORTS_OF_PLAN[plan] / 2;
    if (ofPlan.length >= EXPORTS_OF_PLAN[plan] || ofAccount >= (isScarce ? 1 : EXPORTS_OF_ACCOUNT))
      throw new GateFull();
    const slot = { accountId, plan };
    underWay.push(slot);
    return slot;
  }

  return {
    /**
     * The changes of a range, newest first, page by page: each is read by statements of its own when it is asked for, so
     * that a slow reader holds neither a connection nor a snapshot that vacuum waits for. What is confirmed meanwhile is not
     * among them. Nothing is read before the first page is asked for.
     *
     * @throws GateFull before the first page, where too many are under way; what `sinceNow` throws.
     */
    async *pages(request: ExportRequest): AsyncGenerator<readonly ConfirmedChange[], void> {
      const slot = takeSlot(request);
      try {
        let { since, after } = request;
        for (;;) {
          const range = { ...request, since, after };
          const { changes, next } = await reading.run(() => readFeedChanges(database.pool, range, PAGE_CHANGES));
          yield changes;
          after = next;
          if (!after) return;
          const now = await request.sinceNow();
          if (now > since) since = now;
        }
      } finally {
        underWay.splice(underWay.indexOf(slot), 1);
      }
    },
  };
}
