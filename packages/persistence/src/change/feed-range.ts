import type { DayCounts } from '@artist-watch/contracts/api/change-counts';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Database } from '../database/database.js';

/** A place in a feed: what follows is older than this change. */
export interface FeedPosition {
  readonly confirmedAt: Date;
  readonly changeId: ChangeId;
}

export interface FeedRange {
  readonly accountId: AccountId;
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive; undefined for no end. */
  readonly until?: Date | undefined;
  /** Only what comes after this in the list. */
  readonly after?: FeedPosition | undefined;
  readonly filter: ChangeFilter;
}

export interface FeedIds {
  /** Newest first. */
  readonly ids: readonly ChangeId[];
  /** The list goes on after this place; undefined at its end. */
  readonly next: FeedPosition | undefined;
}

/**
 * What no index compares is compared row by row, for so many rows of a page at most: a page may then be short, or empty,
 * and the list goes on all the same.
 */
export const MAX_COMPARED_ROWS = 10_000;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * One page of a filtered feed: a range scan of one index, whose order is that of the list. The index is that of the entity's
 * changes, that of the artist's, or the feed's own, in this order; what is left of the filter is compared with the change of
 * each row of the scan (docs/adr/0037).
 *
 * @param maxCompared for tests.
 */
export async function readFeedIds(
  pool: pg.Pool,
  range: FeedRange,
  limit: number,
  maxCompared = MAX_COMPARED_ROWS,
): Promise<FeedIds> {
  const { text, values } = feedPageStatement(range, limit, maxCompared);
  const { rows } = await pool.query<FeedPageRow>(text, [...values]);
  const { found, next } = feedPageOf(rows, limit);
  return { ids: found.map(({ id }) => id), next };
}

/** A row of `feedPageStatement`. */
export interface FeedPageRow {
  readonly id: ChangeId;
  readonly at: Date;
  readonly is_cut: boolean;
}

/** What of the rows is on the page, and where the list goes on. */
export function feedPageOf<Row extends FeedPageRow>(rows: readonly Row[], limit: number) {
  const found = rows.filter((row) => !row.is_cut).slice(0, limit);
  const next = rows.length > found.length ? (rows.find((row) => row.is_cut) ?? found.at(-1)) : undefined;
  return { found, next: next && { confirmedAt: next.at, changeId: next.id } };
}

/**
 * The page and one row more, to know whether the list goes on; of a page that stays short, the last row that was compared
 * (`is_cut`) if there may be rows after it. One statement, for both to see the same feed.
 */
export function feedPageStatement(range: FeedRange, limit: number, maxCompared = MAX_COMPARED_ROWS): Statement {
  const { scan, compared, values } = scanOf(range);
  const newest = 'ORDER BY confirmed_at DESC, change_id DESC';
  if (compared.length === 0) {
    return {
      text: `SELECT change_id AS id, confirmed_at AS at, false AS is_cut FROM (${scan}) scanned ${newest} LIMIT ${limit + 1}`,
      values,
    };
  }
  return {
    text: `WITH page AS MATERIALIZED (
             SELECT scanned.confirmed_at, scanned.change_id
               FROM (SELECT confirmed_at, change_id FROM (${scan}) scan ${newest} LIMIT ${maxCompared}) scanned
              CROSS JOIN LATERAL (SELECT FROM changes c
                                   WHERE c.id = scanned.change_id AND ${compared.join(' AND ')} OFFSET 0) c
              ${newest} LIMIT ${limit + 1}),
           cut AS (
             SELECT confirmed_at, change_id FROM (${scan}) scan WHERE (SELECT count(*) FROM page) <= ${limit}
              ${newest} OFFSET ${maxCompared - 1} LIMIT 1)
           SELECT change_id AS id, confirmed_at AS at, false AS is_cut FROM page
           UNION ALL SELECT change_id, confirmed_at, true FROM cut`,
    values,
  };
}

/**
 * SQL of (confirmed_at, change_id) of all that the index of choice finds, and SQL that compares the rest of the filter with a
 * change `c`. Bounds of the range are the parameters 1 to 4.
 */
function scanOf({ accountId, since, until, after, filter }: FeedRange) {
  const values: unknown[] = [accountId, since, ...endOf(after, until)];
  const { entity, artist, ...rest } = conditionsOf(filter, values);
  const compared = [rest.type, rest.severity, ...rest.words].filter((condition) => condition !== undefined);
  if (entity) return { scan: ofChanges(entity), compared: artist ? [artist, ...compared] : compared, values };
  return { scan: artist ? ofChanges(artist) : OF_FEED, compared, values };
}

/** SQL of what a filter asks of a change `c`; adds its parameters to `values`. */
function conditionsOf({ types = [], minSeverity, artistId, entityId, words = [] }: ChangeFilter, values: unknown[]) {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  return {
    entity: entityId === undefined ? undefined : `c.entity_id = ${parameter(entityId)}`,
    artist: artistId === undefined ? undefined : `c.artist_id = ${parameter(artistId)}`,
    type: types.length === 0 ? undefined : `c.type = ANY(${parameter(types)}::text[])`,
    // The highest severity is the first.
    severity: minSeverity === undefined ? undefined : `c.severity <= ${parameter(minSeverity)}::severity`,
    words: words.map((word) => `${SEARCHED} ILIKE ${parameter(`%${escaped(word)}%`)}`),
  };
}

/** The earlier of the two: a place in the list, and the place before everything that is not before `until`. */
function endOf(after: FeedPosition | undefined, until: Date | undefined): readonly [Date | string, string] {
  if (after && (until === undefined || after.confirmedAt < until)) return [after.confirmedAt, after.changeId];
  return [until ?? 'infinity', ''];
}

const OF_FEED = `SELECT confirmed_at, change_id FROM feed_items
                  WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3::timestamptz, $4)`;

/** By an index of the changes, each looked up in the account's feed. */
function ofChanges(condition: string): string {
  return `SELECT c.confirmed_at, c.id AS change_id FROM changes c
           WHERE ${condition} AND c.confirmed_at >= $2 AND (c.confirmed_at, c.id) < ($3::timestamptz, $4)
             AND EXISTS (SELECT FROM feed_items f
                          WHERE f.account_id = $1 AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id OFFSET 0)`;
}

const SEARCHED = `concat_ws(' ', c.entity_name, c.artist_name, c.summary)`;

/** Signs of LIKE stand for themselves. */
function escaped(word: string): string {
  return word.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** How many changes of each severity were confirmed. */
type Counts = Omit<DayCounts, 'day'>;

/** @param table that has the severity. */
function countsOf(table: string): string {
  return SEVERITIES.map(
    (severity) => `count(*) FILTER (WHERE ${table}.severity = '${severity}')::int AS ${severity}`,
  ).join(', ');
}

/**
 * Counts the changes of spans that follow each other, such as the days of a zone that turns its clocks, when the account's
 * turn has come.
 *
 * @param starts ascending; each span ends where the next one begins, and the last one never.
 * @returns one of each span.
 */
export async function countBySpan(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { accountId, starts }: { readonly accountId: AccountId; readonly starts: readonly Date[] },
): Promise<Counts[]> {
  const statement = {
    name: 'count-by-span',
    // Only rows of earlier versions have their changes looked up. The first instant is a query of its own: PostgreSQL
    // would plan anew each time, in the hope that few rows follow it.
    text: `SELECT width_bucket(item.confirmed_at, $2::timestamptz[]) AS span, ${countsOf('item')}
             FROM (SELECT confirmed_at,
                          coalesce(f.severity, (SELECT c.severity FROM changes c WHERE c.id = f.change_id)) AS severity
                     FROM feed_items f
                    WHERE account_id = $1 AND confirmed_at >= (SELECT ($2::timestamptz[])[1])
                   OFFSET 0) item
            GROUP BY 1`,
    values: [accountId, starts],
  };
  const { rows } = await perAccount.run(accountId, () => pool.query<Counts & { span: number }>(statement));
  const found = new Map(rows.map(({ span, ...counts }) => [span, counts]));
  return starts.map((_, index) => found.get(index + 1) ?? { critical: 0, warning: 0, info: 0 });
}

/** Days without a change are left out; oldest first. When the account's turn has come: it reads all of the range. */
export async function countByDay(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { accountId, since, until, filter }: Omit<FeedRange, 'after'>,
): Promise<DayCounts[]> {
  const values: unknown[] = [accountId, since, until ?? 'infinity'];
  const { words, ...rest } = conditionsOf(filter, values);
  const conditions = [...Object.values(rest), ...words].filter((condition) => condition !== undefined);
  const query = () =>
    pool.query<DayCounts>(
      `SELECT to_char(f.confirmed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
            ${countsOf('c')}
       FROM feed_items f JOIN changes c ON c.id = f.change_id
      WHERE f.account_id = $1 AND f.confirmed_at >= $2 AND f.confirmed_at < $3
        ${conditions.map((condition) => `AND ${condition}`).join(' ')}
      GROUP BY 1 ORDER BY 1`,
      values,
    );
  return (await perAccount.run(accountId, query)).rows;
}
