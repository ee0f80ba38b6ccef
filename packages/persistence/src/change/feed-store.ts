import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/paging';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { instantText } from '../database/json-text.js';

/** A place in a feed: what follows is older than this change. */
export interface FeedPosition {
  readonly confirmedAt: Date;
  readonly changeId: ChangeId;
}

export interface FeedPageRequest {
  readonly accountId: AccountId;
  /** Inclusive. */
  readonly since: Date;
  /** The last change of the page before; undefined for the newest. */
  readonly after: FeedPosition | undefined;
  /** 1 to MAX_PAGE_ITEMS. */
  readonly limit: number;
}

export interface FeedPage {
  /** A JSON array of changes as the API shows them, newest first, built in the database and sent as it is. */
  readonly itemsJson: string;
  /** The last change of this page when others follow it. */
  readonly next: FeedPosition | undefined;
}

export interface FeedStore {
  /** One prepared statement, whose cost depends on the page and not on how much there is to page through. */
  readPage(request: FeedPageRequest): Promise<FeedPage>;
}

/**
 * The newest keys come from one backward scan of the feed's primary key, ended by a LIMIT that the planner knows; each
 * change is then looked up by its id. The OFFSET 0 keep a lookup a lookup, done once for each row: a plan made for any
 * account at all could otherwise choose to read the whole table of changes, and one that needs the JSON of a row in two
 * places makes it twice.
 *
 * One key more than the page is read, to know whether another page follows.
 */
const READ_PAGE = `
  SELECT '[' || coalesce(string_agg(item.json, ',' ORDER BY page.confirmed_at DESC, page.change_id DESC), '') || ']'
           AS items,
         count(*) > $5 AS has_more,
         max(extract(epoch FROM page.confirmed_at) * 1000) FILTER (WHERE page.place = $5)::float8 AS last_confirmed_ms,
         max(page.change_id) FILTER (WHERE page.place = $5) AS last_change_id
    FROM (SELECT confirmed_at, change_id, row_number() OVER (ORDER BY confirmed_at DESC, change_id DESC) AS place
            FROM (SELECT confirmed_at, change_id
                    FROM feed_items
                   WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3, $4)
                   ORDER BY confirmed_at DESC, change_id DESC
                   LIMIT ${MAX_PAGE_ITEMS + 1}) newest
           LIMIT $5::int + 1) page
    LEFT JOIN LATERAL (
           SELECT row_to_json(shown)::text AS json
             FROM (SELECT c.id, c.type, c.severity, c.artist_id, c.summary, ${instantText('c.confirmed_at')} AS confirmed_at,
                          c.entity_type, c.entity_id, c.entity_name, ${instantText('c.detected_at')} AS detected_at
                     FROM changes c
                    WHERE c.id = page.change_id AND page.place <= $5
                   OFFSET 0) shown
           OFFSET 0) item ON true`;

interface FeedPageRow {
  items: string;
  has_more: boolean;
  last_confirmed_ms: number | null;
  last_change_id: ChangeId | null;
}

export function feedStore(database: Database): FeedStore {
  return {
    async readPage({ accountId, since, after, limit }) {
      const { rows } = await database.pool.query<FeedPageRow>({
        name: 'read-feed-page',
        text: READ_PAGE,
        values: [accountId, since, after?.confirmedAt ?? 'infinity', after?.changeId ?? '', limit],
      });
      const row = rows[0] as FeedPageRow;
      return { itemsJson: row.items, next: nextOf(row) };
    },
  };
}

function nextOf({ has_more, last_confirmed_ms, last_change_id }: FeedPageRow): FeedPosition | undefined {
  if (!has_more || last_confirmed_ms === null || last_change_id === null) return undefined;
  return { confirmedAt: new Date(last_confirmed_ms), changeId: last_change_id };
}
