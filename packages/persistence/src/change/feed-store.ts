import { type AccountChange, type ChangeHandling, changeItem, UNHANDLED } from '@artist-watch/contracts/api/change';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/fields';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { Gate, GateFull } from '@artist-watch/runtime/gate';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { readFeedChanges, readRecordedChanges } from './change-reads.js';
import { HANDLING_COLUMNS, joinHandling, readConfirmedChanges } from './confirmed-changes.js';
import { type FeedPosition, type FeedRange, type RecordedRange, readFeedIds, readRecordedIds } from './feed-range.js';

/**
 * Reads a page without filters: one more id than fits, and the account's handling. The inner LIMIT is a constant, so
 * that the planner knows its value. The newest `$5` rows of `change_handling` include those of the newest `$5` changes.
 */
const READ_IDS = `
  SELECT string_agg(change_id, ' ') AS ids,
         (SELECT json_agg(json_build_array(h.change_id, json_build_object('status', h.status, 'note', h.note,
                                                                          'assignee', assignee.email)))
            FROM (SELECT change_id, status, note, assignee_id
                    FROM change_handling
                   WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3, $4)
                   ORDER BY confirmed_at DESC, change_id DESC
                   LIMIT $5::int) h
            LEFT JOIN members assignee ON assignee.id = h.assignee_id) AS handling
    FROM (SELECT change_id
            FROM (SELECT confirmed_at, change_id
                    FROM feed_items
                   WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3, $4)
                   ORDER BY confirmed_at DESC, change_id DESC
                   LIMIT ${MAX_PAGE_ITEMS + 1}) newest
           LIMIT $5::int + 1) page`;

/** A confirmed change is never modified, so all accounts share its JSON. */
interface Item {
  readonly id: ChangeId;
  readonly json: Uint8Array;
  readonly confirmedAt: Date;
}

/** About 50,000 changes. */
const ITEMS_BYTES = 32 * 1024 * 1024;
const ITEM_OVERHEAD_BYTES = 200;

export type FeedStore = ReturnType<typeof feedStore>;

export function feedStore({ pool, perAccount }: Database) {
  const known = new LRUCache<ChangeId, Item>({
    maxSize: ITEMS_BYTES,
    sizeCalculation: ({ json }) => json.byteLength + ITEM_OVERHEAD_BYTES,
  });

  async function itemsOf(ids: readonly ChangeId[]): Promise<Item[]> {
    // Keep the items in a map, because the cache may drop an item at any time.
    const found = new Map(ids.map((id) => [id, known.get(id)]));
    const missing = ids.filter((id) => !found.get(id));
    for (const change of await readConfirmedChanges(pool, missing)) {
      const { id, confirmedAt } = change;
      const item = { id, json: Buffer.from(JSON.stringify({ ...changeItem(change), ...UNHANDLED })), confirmedAt };
      known.set(id, item);
      found.set(id, item);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async function pageItems(accountId: AccountId, ids: readonly ChangeId[]): Promise<Uint8Array[]> {
    const items = await itemsOf(ids);
    return withHandling(items, await readHandling(pool, accountId, items));
  }

  return {
    /** Returns changes as UTF-8 JSON, newest first. The cost does not depend on the feed's length. */
    async readPage(
      request: FeedRange & { readonly limit: number },
    ): Promise<{ readonly items: Uint8Array[]; readonly next: FeedPosition | undefined }> {
      const { accountId, since, until, after, filter, limit } = request;
      if (until !== undefined || Object.values(filter).some((value) => value !== undefined)) {
        const { ids, next } = await perAccount.run(accountId, () => readFeedIds(pool, request, limit));
        return { items: await pageItems(accountId, ids), next };
      }
      const { rows } = await pool.query<{ ids: string | null; handling: [ChangeId, ChangeHandling][] | null }>({
        name: 'read-feed-page',
        text: READ_IDS,
        values: [accountId, since, after?.confirmedAt ?? 'infinity', after?.changeId ?? '', limit],
      });
      const ids = (rows[0]?.ids?.split(' ') ?? []) as ChangeId[];
      const items = await itemsOf(ids.slice(0, limit));
      const last = items.at(-1);
      return {
        items: withHandling(items, new Map(rows[0]?.handling)),
        next: ids.length > limit && last ? { confirmedAt: last.confirmedAt, changeId: last.id } : undefined,
      };
    },

    /** Returns changes as UTF-8 JSON, ordered by when they became readable. */
    async readRecordedPage(request: RecordedRange & { readonly limit: number }) {
      const read = () => readRecordedIds(pool, request, request.limit);
      const isFiltered = Object.values(request.filter).some((value) => value !== undefined);
      const { ids, next, hasMore } = await (isFiltered ? perAccount.run(request.accountId, read) : read());
      return { items: await pageItems(request.accountId, ids), next, hasMore };
    },
  };
}

async function readHandling(
  pool: pg.Pool,
  accountId: AccountId,
  items: readonly Item[],
): Promise<ReadonlyMap<ChangeId, ChangeHandling>> {
  if (items.length === 0) return new Map();
  const { rows } = await pool.query<ChangeHandling & { readonly id: ChangeId }>({
    name: 'read-change-handling',
    text: `SELECT c.id, ${HANDLING_COLUMNS} FROM unnest($2::timestamptz[], $3::text[]) c (confirmed_at, id)
           ${joinHandling('$1')} WHERE h.change_id IS NOT NULL`,
    values: [accountId, items.map(({ confirmedAt }) => confirmedAt), items.map(({ id }) => id)],
  });
  return new Map(rows.map(({ id, ...handling }) => [id, handling]));
}

const OPEN = handlingJson(UNHANDLED);

function withHandling(items: readonly Item[], handling: ReadonlyMap<ChangeId, ChangeHandling>): Uint8Array[] {
  return items.map(({ id, json }) => {
    const stored = handling.get(id);
    return stored ? Buffer.concat([json.subarray(0, -OPEN.length), handlingJson(stored)]) : json;
  });
}

/** Returns the last fields of an item's JSON, including the comma before them and the closing brace. */
function handlingJson({ status, note, assignee }: ChangeHandling): Uint8Array {
  return Buffer.from(`,${JSON.stringify({ status, note, assignee }).slice(1)}`);
}

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
