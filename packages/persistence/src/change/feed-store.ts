import { changeItem } from '@artist-watch/contracts/api/change';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import type { ChangeId } from '@artist-watch/domain/ids';
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.js';
import { readConfirmedChanges } from './confirmed-changes.js';
import {
  type FeedPosition,
  type FeedRange,
  type RecordedIds,
  type RecordedRange,
  readFeedIds,
  readRecordedIds,
} from './feed-range.js';

export interface FeedPageRequest extends FeedRange {
  /** 1 to MAX_PAGE_ITEMS. */
  readonly limit: number;
}

export interface RecordedPageRequest extends RecordedRange {
  /** 1 to MAX_PAGE_ITEMS. */
  readonly limit: number;
}

export interface RecordedPage extends Pick<RecordedIds, 'next' | 'hasMore'> {
  /** Changes as the API shows them, in the order in which they became readable: each is JSON in UTF-8. */
  readonly items: readonly Uint8Array[];
}

export interface FeedPage {
  /** Changes as the API shows them, newest first: each is JSON in UTF-8. */
  readonly items: readonly Uint8Array[];
  /** The last change of this page if more follow. */
  readonly next: FeedPosition | undefined;
}

/**
 * Selects the ids of a page, newest first, with one backward index-only scan of the feed's primary key. The scan ends at a
 * LIMIT that the planner knows. It reads one id more than the page, to know whether another page follows.
 */
const READ_IDS = `
  SELECT string_agg(change_id, ' ') AS ids
    FROM (SELECT change_id
            FROM (SELECT confirmed_at, change_id
                    FROM feed_items
                   WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3, $4)
                   ORDER BY confirmed_at DESC, change_id DESC
                   LIMIT ${MAX_PAGE_ITEMS + 1}) newest
           LIMIT $5::int + 1) page`;

/** A confirmed change never changes, so each process creates its item once. */
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

  /** The items in the order of the ids, without changes that were pruned just now. */
  async function itemsOf(ids: readonly ChangeId[]): Promise<Item[]> {
    // Keep the items: the cache may drop one while others are read, or as soon as they are set.
    const found = new Map(ids.map((id) => [id, known.get(id)]));
    const missing = ids.filter((id) => !found.get(id));
    for (const change of await readConfirmedChanges(pool, missing)) {
      const { id, confirmedAt } = change;
      const item = { id, json: Buffer.from(JSON.stringify(changeItem(change))), confirmedAt };
      known.set(id, item);
      found.set(id, item);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  return {
    /**
     * Reads a page, newest first, with one prepared statement, whose cost depends on the page and not on the length of the
     * feed, and one more for changes that this process has not shown yet. With a filter: see readFeedIds.
     */
    async readPage(request: FeedPageRequest): Promise<FeedPage> {
      const { accountId, since, until, after, filter, limit } = request;
      if (until !== undefined || Object.values(filter).some((value) => value !== undefined)) {
        const { ids, next } = await perAccount.run(accountId, () => readFeedIds(pool, request, limit));
        return { items: (await itemsOf(ids)).map(({ json }) => json), next };
      }
      const { rows } = await pool.query<{ ids: string | null }>({
        name: 'read-feed-page',
        text: READ_IDS,
        values: [accountId, since, after?.confirmedAt ?? 'infinity', after?.changeId ?? '', limit],
      });
      const ids = (rows[0]?.ids?.split(' ') ?? []) as ChangeId[];
      const items = await itemsOf(ids.slice(0, limit));
      const last = items.at(-1);
      return {
        items: items.map(({ json }) => json),
        next: ids.length > limit && last ? { confirmedAt: last.confirmedAt, changeId: last.id } : undefined,
      };
    },

    /** Reads a page in the order in which changes become readable. The statements are as many as those of `readPage`. */
    async readRecordedPage(request: RecordedPageRequest): Promise<RecordedPage> {
      const read = () => readRecordedIds(pool, request, request.limit);
      const isFiltered = Object.values(request.filter).some((value) => value !== undefined);
      const { ids, next, hasMore } = await (isFiltered ? perAccount.run(request.accountId, read) : read());
      return { items: (await itemsOf(ids)).map(({ json }) => json), next, hasMore };
    },
  };
}
