import type { DayCounts } from '@artist-watch/contracts/api/change-filter';
import type { EventChange } from '@artist-watch/domain/change/change-events';
import { SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { matches, searchPattern } from '../database/sql-text.js';
import { FEED_WITH_TESTS } from './confirmed-changes.js';

/** Position in a feed that is sorted newest first. */
export interface FeedPosition {
  readonly confirmedAt: Date;
  readonly changeId: ChangeId;
}

/** Position in a feed that is sorted by when changes became readable (docs/adr/0044). */
export interface RecordedPosition {
  /** A 64-bit integer in decimal. 0 comes before every change. */
  readonly position: string;
  /** Empty at position 0. */
  readonly changeId: ChangeId | '';
}

interface Bounds {
  readonly accountId: AccountId;
  /** Inclusive, on `confirmedAt`. */
  readonly since: Date;
  /** Exclusive, on `confirmedAt`. */
  readonly until?: Date | undefined;
  readonly filter: ChangeFilter;
}

export interface FeedRange extends Bounds {
  /** The end of the previous page, from the parameter `cursor`. Not the parameter `after`, which `RecordedRange` has. */
  readonly after?: FeedPosition | undefined;
}

export interface RecordedRange extends Bounds {
  readonly after: RecordedPosition;
  readonly upTo?: RecordedPosition | undefined;
}

/** Conditions that the index does not cover are checked on at most this many rows, so a page can be short before the end. */
export const MAX_COMPARED_ROWS = 10_000;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Reads a page, newest first, from one index: by entity, artist or feed (docs/adr/0037).
 * @param maxCompared is overridden only in tests.
 */
export async function readFeedIds(pool: pg.Pool, range: FeedRange, limit: number, maxCompared = MAX_COMPARED_ROWS) {
  const { text, values } = feedPageStatement(range, limit, maxCompared);
  const { rows } = await pool.query<FeedPageRow<Date>>(text, [...values]);
  const { found, next } = feedPageOf(rows, limit);
  return { ids: found.map(({ id }) => id), next: next && feedPositionOf(next) };
}

/**
 * Reads a page of changes, ordered by when they became readable.
 * @param maxCompared is overridden only in tests.
 */
export async function readRecordedIds(
  pool: pg.Pool,
  range: RecordedRange,
  limit: number,
  maxCompared = MAX_COMPARED_ROWS,
) {
  const { text, values } = recordedPageStatement(range, limit, maxCompared);
  const isFiltered = Object.values(range.filter).some((part) => part !== undefined);
  const { rows } = await pool.query<FeedPageRow<string>>({
    ...(!isFiltered && { name: `read-recorded-ids-${limit}${range.upTo ? '-to' : ''}` }),
    ...{ text, values: [...values] },
  });
  const { found, next } = feedPageOf(rows, limit);
  const last = next ?? found.at(-1);
  return {
    ids: found.map(({ id }) => id),
    next: last ? recordedPositionOf(last) : range.after,
    hasMore: next !== undefined,
  };
}

export async function newestPosition(
  pool: pg.Pool,
  accountId: AccountId,
  { includeTest }: Pick<ChangeFilter, 'includeTest'> = {},
): Promise<RecordedPosition> {
  const { rows } = await pool.query<RecordedPosition>({
    name: `read-newest-position${includeTest ? '-with-tests' : ''}`,
    text: `SELECT position, change_id AS "changeId" FROM ${feedOf({ includeTest })} f
            WHERE account_id = $1 AND position < (SELECT feed_horizon())
            ORDER BY position DESC, change_id DESC LIMIT 1`,
    values: [accountId],
  });
  return rows[0] ?? { position: '0', changeId: '' };
}

/** Returns undefined if an older version stored the change without a position. */
export async function positionOfChange(
  pool: pg.Pool,
  { accountId, id }: { readonly accountId: AccountId; readonly id: ChangeId },
): Promise<RecordedPosition | undefined> {
  const { rows } = await pool.query<RecordedPosition>(
    `SELECT position, change_id AS "changeId" FROM feed_items
      WHERE account_id = $1 AND change_id = $2 AND position IS NOT NULL`,
    [accountId, id],
  );
  return rows[0];
}

/** The list is sorted by `at`, which is a Date or a decimal position. */
export interface FeedPageRow<At> {
  readonly id: ChangeId;
  readonly at: At;
  readonly is_cut: boolean;
}

export const feedPositionOf = ({ at, id }: FeedPageRow<Date>): FeedPosition => ({ confirmedAt: at, changeId: id });
export const recordedPositionOf = ({ at, id }: FeedPageRow<string>): RecordedPosition => ({
  position: at,
  changeId: id,
});

/** Returns the page, and the row after which the next page starts. */
export function feedPageOf<Row extends FeedPageRow<unknown>>(rows: readonly Row[], limit: number) {
  const found = rows.filter((row) => !row.is_cut).slice(0, limit);
  const next = rows.length > found.length ? (rows.find((row) => row.is_cut) ?? found.at(-1)) : undefined;
  return { found, next };
}

/** Builds the SQL for a page of changes, newest first. Pass its rows to `feedPageOf`. */
export function feedPageStatement(range: FeedRange, limit: number, maxCompared = MAX_COMPARED_ROWS): Statement {
  return pageStatement(newestFirst(range), limit, maxCompared);
}

/** Builds the SQL for a page of changes, ordered by when they became readable. Pass its rows to `feedPageOf`. */
export function recordedPageStatement(range: RecordedRange, limit: number, maxCompared = MAX_COMPARED_ROWS): Statement {
  return pageStatement(asRecorded(range), limit, maxCompared);
}

interface Scan {
  /** SQL that selects `at` and `change_id` from one index. */
  readonly rows: string;
  readonly order: string;
  /** SQL conditions on change `c` that the index does not cover. */
  readonly compared: readonly string[];
  readonly values: readonly unknown[];
}

const NEWEST_FIRST = 'ORDER BY at DESC, change_id DESC';
const AS_RECORDED = 'ORDER BY at, change_id';

/**
 * Selects one more row than fits on the page, to find out whether there are more. `is_cut` marks where an incomplete
 * scan stopped. `feedPageOf` relies on the order of the rows: PostgreSQL returns `page` as it was sorted, then `cut`.
 */
function pageStatement({ rows, order, compared, values }: Scan, limit: number, maxCompared: number): Statement {
  if (compared.length === 0) {
    return {
      text: `SELECT change_id AS id, at, false AS is_cut FROM (${rows}) scanned ${order} LIMIT ${limit + 1}`,
      values,
    };
  }
  return {
    text: `WITH page AS MATERIALIZED (
             SELECT scanned.at, scanned.change_id
               FROM (SELECT at, change_id FROM (${rows}) scan ${order} LIMIT ${maxCompared}) scanned
              CROSS JOIN LATERAL (SELECT FROM changes c
                                   WHERE c.id = scanned.change_id AND ${compared.join(' AND ')} OFFSET 0) c
              ${order} LIMIT ${limit + 1}),
           cut AS (
             SELECT at, change_id FROM (${rows}) scan WHERE (SELECT count(*) FROM page) <= ${limit}
              ${order} OFFSET ${maxCompared - 1} LIMIT 1)
           SELECT change_id AS id, at, false AS is_cut FROM page
           UNION ALL SELECT change_id, at, true FROM cut`,
    values,
  };
}

function newestFirst({ accountId, since, until, after, filter }: FeedRange): Scan {
  const values: unknown[] = [accountId, since, ...endOf(after, until)];
  const { entity, artist, ...rest } = conditionsOf(filter, values);
  const compared = [rest.group, rest.type, rest.severity, rest.status, ...rest.words].filter(
    (condition) => condition !== undefined,
  );
  const order = NEWEST_FIRST;
  const feed = feedOf(filter);
  if (entity)
    return { rows: ofChanges(entity, feed), order, compared: artist ? [artist, ...compared] : compared, values };
  return { rows: artist ? ofChanges(artist, feed) : ofFeed(feed), order, compared, values };
}

/** `feed_horizon()` is defined in the migration `feed_positions` (docs/adr/0044). */
function asRecorded({ accountId, since, until, after, upTo, filter }: RecordedRange): Scan {
  const values: unknown[] = [accountId, since, until ?? 'infinity', after.position, after.changeId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const last =
    upTo && `AND (position, change_id) <= (${parameter(upTo.position)}::bigint, ${parameter(upTo.changeId)})`;
  const { words, ...rest } = conditionsOf(filter, values);
  return {
    rows: `SELECT position AS at, change_id FROM ${feedOf(filter)} f
            WHERE account_id = $1 AND confirmed_at >= $2 AND confirmed_at < $3::timestamptz
              AND (position, change_id) > ($4::bigint, $5) AND position < (SELECT feed_horizon()) ${last ?? ''}`,
    order: AS_RECORDED,
    compared: [...Object.values(rest), ...words].filter((condition) => condition !== undefined),
    values,
  };
}

/** SQL conditions on change `c` for account `$1`. Adds their parameters to `values`. */
function conditionsOf(
  { types = [], minSeverity, artistId, groupId, entityId, status, words = [] }: ChangeFilter,
  values: unknown[],
) {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  return {
    entity: entityId === undefined ? undefined : `c.entity_id = ${parameter(entityId)}`,
    artist: artistId === undefined ? undefined : `c.artist_id = ${parameter(artistId)}`,
    group:
      groupId === undefined
        ? undefined
        : `EXISTS (SELECT FROM grouped_artists g
                    WHERE g.account_id = $1 AND g.artist_id = c.artist_id AND g.group_id = ${parameter(groupId)})`,
    type: types.length === 0 ? undefined : `c.type = ANY(${parameter(types)}::text[])`,
    // The enum lists severities from highest to lowest.
    severity: minSeverity === undefined ? undefined : `c.severity <= ${parameter(minSeverity)}::severity`,
    status:
      status === undefined
        ? undefined
        : `coalesce((SELECT h.status FROM change_handling h WHERE h.account_id = $1 AND h.confirmed_at = c.confirmed_at
                        AND h.change_id = c.id), 'open') = ${parameter(status)}::change_status`,
    words: words.map((word) => matches(SEARCHED, parameter(searchPattern(word)))),
  };
}

function endOf(after: FeedPosition | undefined, until: Date | undefined): readonly [Date | string, string] {
  if (after && (until === undefined || after.confirmedAt < until)) return [after.confirmedAt, after.changeId];
  return [until ?? 'infinity', ''];
}

const feedOf = ({ includeTest }: Pick<ChangeFilter, 'includeTest'>) => (includeTest ? FEED_WITH_TESTS : 'feed_items');

const ofFeed = (feed: string) => `SELECT confirmed_at AS at, change_id FROM ${feed} f
                  WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3::timestamptz, $4)`;

function ofChanges(condition: string, feed: string): string {
  return `SELECT c.confirmed_at AS at, c.id AS change_id FROM changes c
           WHERE ${condition} AND c.confirmed_at >= $2 AND (c.confirmed_at, c.id) < ($3::timestamptz, $4)
             AND EXISTS (SELECT FROM ${feed} f
                          WHERE f.account_id = $1 AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id OFFSET 0)`;
}

const SEARCHED = `concat_ws(' ', c.entity_name, c.artist_name, c.summary)`;

function countsOf(table: string): string {
  return SEVERITIES.map(
    (severity) => `count(*) FILTER (WHERE ${table}.severity = '${severity}')::int AS ${severity}`,
  ).join(', ');
}

export interface GroupableChange extends EventChange {
  readonly severity: Severity;
}

const MAX_GROUPED = 20_000;

/**
 * Returns the newest 20,000 changes, newest first, with only the fields needed for grouping. Serialized per account,
 * because it reads the whole range.
 */
export async function readGroupableChanges(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { accountId, since }: { readonly accountId: AccountId; readonly since: Date },
): Promise<GroupableChange[]> {
  const statement = {
    name: 'read-groupable-changes',
    text: `SELECT c.type, c.severity, c.artist_id AS "artistId", c.entity_type AS "entityType", c.entity_id AS "entityId",
                  CASE WHEN c.entity_type = 'track' THEN c.difference ->> 'releaseId' END AS "releaseId",
                  c.confirmed_at AS "confirmedAt"
             FROM (SELECT change_id FROM feed_items WHERE account_id = $1 AND confirmed_at >= $2
                    ORDER BY confirmed_at DESC, change_id DESC LIMIT ${MAX_GROUPED}) f
             JOIN changes c ON c.id = f.change_id
            ORDER BY c.confirmed_at DESC, c.id DESC`,
    values: [accountId, since],
  };
  return (await perAccount.run(accountId, () => pool.query<GroupableChange>(statement))).rows;
}

/** Serialized per account, because it reads the whole range. */
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
