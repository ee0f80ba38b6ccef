import type { AccountChange } from '@artist-watch/contracts/api/change';
import type { PlanName } from '@artist-watch/domain/account/plans';
import { Gate, GateFull } from '@artist-watch/runtime/gate';
import type { Database } from '../database/database.js';
import { readFeedChanges, readRecordedChanges } from './change-reads.js';
import type { FeedRange, RecordedRange } from './feed-range.js';

const PAGE_CHANGES = 200;

/** Limits memory use, because each export keeps a page in memory until its client has read it. */
const EXPORTS_OF_ACCOUNT = 2;
/** Each plan has its own slots, so that many small accounts cannot block larger ones. */
const EXPORTS_OF_PLAN: Readonly<Record<PlanName, number>> = { free: 10, starter: 10, pro: 15, business: 25 };
const EXPORTS = Object.values(EXPORTS_OF_PLAN).reduce((sum, slots) => sum + slots, 0);
/** Exports use at most this many connections, so that the rest stay free for other reads. */
const PAGES_AT_ONCE = 2;
const PAGE_WAIT_MS = 30_000;

/** Sorted newest first, or by when the changes became readable. */
type ExportRequest = (
  | (FeedRange & { readonly order?: 'newest' })
  | (RecordedRange & { readonly order: 'recorded' })
) & {
  readonly plan: PlanName;
  /** Called before each page except the first. A rejection ends the export. */
  readonly sinceNow: () => Promise<Date>;
};

export function changeExports(database: Pick<Database, 'pool'>) {
  const readExportPage = async (range: ExportRequest) =>
    range.order === 'recorded'
      ? await readRecordedChanges(database.pool, range, PAGE_CHANGES)
      : await readFeedChanges(database.pool, range, PAGE_CHANGES);
  const reading = new Gate({ maxRunning: PAGES_AT_ONCE, maxWaiting: EXPORTS, maxWaitMs: PAGE_WAIT_MS });
  const running: Pick<ExportRequest, 'accountId' | 'plan'>[] = [];

  function takeSlot({ accountId, plan }: ExportRequest) {
    const ofPlan = running.filter((other) => other.plan === plan);
    const ofAccount = ofPlan.filter((other) => other.accountId === accountId).length;
    // The second half of the slots is reserved for accounts without a running export.
    const isScarce = ofPlan.length >= EXPORTS_OF_PLAN[plan] / 2;
    if (ofPlan.length >= EXPORTS_OF_PLAN[plan] || ofAccount >= (isScarce ? 1 : EXPORTS_OF_ACCOUNT))
      throw new GateFull();
    const slot = { accountId, plan };
    running.push(slot);
    return slot;
  }

  return {
    /**
     * Yields pages of changes. No connection or snapshot stays open between pages.
     * @throws GateFull if too many exports are running.
     */
    async *pages(request: ExportRequest): AsyncGenerator<readonly AccountChange[], void> {
      const slot = takeSlot(request);
      try {
        let range: ExportRequest = request;
        for (;;) {
          const { changes, next } = await reading.run(() => readExportPage(range));
          yield changes;
          if (!next) return;
          const now = await request.sinceNow();
          range = { ...range, after: next, ...(now > range.since && { since: now }) } as ExportRequest;
        }
      } finally {
        running.splice(running.indexOf(slot), 1);
      }
    },
  };
}
