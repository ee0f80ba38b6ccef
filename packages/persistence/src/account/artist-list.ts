import { type ArtistStatus, artistSchema, STALE_REASONS } from '@artist-watch/contracts/api/artist';
import { ourName } from '@artist-watch/contracts/api/fields';
import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import { PLATFORM_NAMES, type Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId, GroupId, WatchId } from '@artist-watch/domain/ids';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import pg from 'pg';
import type { Database } from '../database/database.js';
import { instantText, matches, searchPattern } from '../database/sql-text.js';
import { CHANNEL_HEALTH, type UnhealthyDestination } from '../destination/reads.js';

interface ArtistFilter {
  readonly status?: ArtistStatus | undefined;
  /** Words from the artist's name, or a complete id (ours or the platform's). */
  readonly q?: string | undefined;
  readonly group_id?: string | undefined;
}

interface ArtistPageRequest extends ArtistFilter {
  readonly accountId: AccountId;
  readonly after?: WatchId | undefined;
  /** Default: all. */
  readonly limit?: number | undefined;
  readonly now: Date;
}

const SORT_COLUMNS = {
  name: 'shown.name COLLATE "und-x-icu"',
  releases: 'numbers.releases',
  followers: 'numbers.followers',
  growth: 'numbers.growth',
  changed: 'changed."changedAt"',
};
export type ArtistColumn = keyof typeof SORT_COLUMNS;
/** `-` sorts from highest to lowest. Unknown values come last. */
export const ARTIST_SORTS = Object.keys(SORT_COLUMNS).flatMap((name) => [name, `-${name}`]) as readonly ArtistSort[];
export type ArtistSort = ArtistColumn | `-${ArtistColumn}`;

export interface SortedArtistsRequest extends ArtistFilter {
  readonly accountId: AccountId;
  readonly sort: ArtistSort;
  /** Older changes are ignored. */
  readonly since: Date;
  readonly offset: number;
  readonly limit: number;
  readonly now: Date;
}

export interface ArtistRow {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
  readonly status: ArtistStatus;
  readonly followers: number | null;
  /** How much `followers` has changed in seven days. */
  readonly growth: number | null;
  readonly releases: number | null;
  readonly changedAt: Date | null;
  readonly groupIds: readonly GroupId[];
}

/**
 * Leaves out numbers from before the watch, because they would reveal that other accounts watch the artist
 * (docs/adr/0027).
 */
const ARTIST_NUMBERS = `
  SELECT known.followers, known.followers - week.followers AS growth, catalogue.releases
    FROM (SELECT CASE WHEN shown.metrics ->> 'followers' = 'available' THEN shown.followers END AS followers) known
    LEFT JOIN LATERAL (
           SELECT followers FROM artist_metrics
            WHERE artist_id = shown.id AND day >= (shown.watched_since AT TIME ZONE 'UTC')::date
              AND day <= ($2::timestamptz AT TIME ZONE 'UTC')::date - 7
            ORDER BY day DESC LIMIT 1) week ON true
    LEFT JOIN LATERAL (
           SELECT releases FROM artist_days
            WHERE artist_id = shown.id AND releases IS NOT NULL AND shown.last_complete_at IS NOT NULL
            ORDER BY day DESC LIMIT 1) catalogue ON true`;

/** A watch is stale after this many intervals without a complete observation. */
const STALE_AFTER_INTERVALS = 3;

/**
 * SQL for a plan's polling interval.
 * @param plan SQL expression of the type plan_name.
 * @param intervalFactor POLL_INTERVAL_FACTOR.
 */
export function planInterval(plan: string, intervalFactor: number): string {
  const cases = PLAN_NAMES.map((name) => `WHEN '${name}' THEN ${PLANS[name].pollIntervalMs * intervalFactor}`);
  return `(CASE ${plan}::text ${cases.join(' ')} END * interval '1 millisecond')`;
}

/** SQL that selects watched artists as of $2. All timestamps come from the account's own watch (docs/adr/0027). */
export function shownArtists(intervalFactor: number, instant: (column: string) => string = (column) => column): string {
  const interval = planInterval('c.plan', intervalFactor);
  const isStale = `${LAST} + ${STALE_AFTER_INTERVALS} * ${interval} < $2::timestamptz`;
  return `
    SELECT w.id AS watch_id, a.id, a.platform_id, a.name, a.monthly_listeners, a.followers,
           ${instant('w.metrics_observed_at')} AS metrics_observed_at,
           CASE WHEN ${IS_MERGED} THEN 'merged'
                WHEN ${IS_NOT_FOUND} THEN 'not_found'
                WHEN ${isStale} THEN 'stale'
                WHEN w.last_complete_at IS NULL THEN 'pending'
                ELSE 'active' END AS status,
           CASE WHEN ${IS_MERGED} THEN a.merged_into END AS merged_into,
           CASE WHEN NOT (${IS_MERGED}) AND NOT (${IS_NOT_FOUND}) AND ${isStale} THEN ${STALE_REASON} END AS stale_reason,
           ${instant('w.last_complete_at')} AS last_complete_at,
           ${instant(`(${LAST} + ${interval})`)} AS next_read_at,
           ${instant('w.created_at')} AS watched_since,
           ${ARTIST_URL} AS platform_url,
           ARRAY(SELECT group_id FROM grouped_artists g
                  WHERE g.account_id = w.account_id AND g.artist_id = w.artist_id ORDER BY group_id) AS group_ids,
           json_build_object(
             'followers', ${availability('a.followers > 0 OR w.metrics_observed_at IS NOT NULL')},
             'monthly_listeners', ${availability(`a.monthly_listeners > 0 OR ${HAS_LISTENERS}`)}) AS metrics
      FROM watches w JOIN artists a ON a.id = w.artist_id JOIN accounts c ON c.id = w.account_id
     WHERE w.account_id = $1`;
}

const LAST = 'coalesce(w.last_complete_at, w.created_at)';

const PLATFORMS = Object.keys(PLATFORM_NAMES) as Platform[];

const STALE_REASON = `(CASE a.platform ${PLATFORMS.map((platform) => {
  const reasons = Object.entries(STALE_REASONS).map(([code, sentence]) => {
    const message = pg.escapeLiteral(sentence(PLATFORM_NAMES[platform]));
    return `WHEN '${code}' THEN json_build_object('code', '${code}', 'message', ${message})`;
  });
  return `WHEN '${platform}' THEN CASE coalesce(a.incomplete_cause, 'not_checked') ${reasons.join(' ')} END`;
}).join(' ')} END)`;

/** The subquery computes the time limit only once, instead of once per watch. */
function isStaleWatch(intervalFactor: number): string {
  return `${LAST} < (SELECT $2::timestamptz - ${STALE_AFTER_INTERVALS} * ${planInterval('plan', intervalFactor)}
                       FROM accounts WHERE id = $1)`;
}

const ARTIST_COLUMNS = Object.keys(artistSchema.shape);

const ARTIST_JSON = `(SELECT row_to_json(item)::text
                        FROM (SELECT ${ARTIST_COLUMNS.map((column) => `shown.${column}`)}) item)`;

export const SHOWN_ARTIST = ARTIST_COLUMNS.map((column) => `shown.${column} AS "${ourName(column)}"`).join(', ');

const ARTIST_URL = `CASE a.platform ${PLATFORMS.map(
  (platform) => `WHEN '${platform}' THEN '${platformUrl(platform, 'artist', '')}'`,
).join(' ')} END || a.platform_id`;

function availability(isKnown: string): string {
  return `CASE WHEN ${isKnown} THEN 'available' ELSE 'unavailable' END`;
}

/** SQL condition that is true if the platform published a listener count. Otherwise, 0 means unknown. */
const HAS_LISTENERS = `EXISTS (
  SELECT FROM artist_metrics m
   WHERE m.artist_id = a.id AND m.day = (a.metrics_observed_at AT TIME ZONE 'UTC')::date AND m.monthly_listeners IS NOT NULL)`;

const IS_NOT_FOUND = 'a.not_found_since IS NOT NULL AND a.last_polled_at >= w.created_at';

const IS_MERGED = 'a.merged_into IS NOT NULL AND a.last_polled_at >= w.created_at';

/** Also counts watches whose artist has been missing for at least an hour. */
export const COUNT_WATCHES = `
  SELECT (SELECT count(*)::int FROM watches WHERE account_id = $1) AS watches,
         (SELECT count(*)::int FROM watches w JOIN artists a ON a.id = w.artist_id
           WHERE w.account_id = $1 AND ${IS_NOT_FOUND}
             AND greatest(a.not_found_since, w.created_at) <= $2::timestamptz - interval '1 hour') AS "withoutArtist"`;

export const WATCHED_AMONG = `
  SELECT a.id, a.platform_id AS "platformId" FROM artists a JOIN watches w ON w.artist_id = a.id AND w.account_id = $1
   WHERE a.platform = $2::platform AND a.platform_id = ANY($3::text[])`;

export async function watchedAmong(
  pool: Database['pool'],
  accountId: AccountId,
  platform: Platform,
  platformIds: readonly string[],
): Promise<ReadonlyMap<string, ArtistId>> {
  const values = [accountId, platform, platformIds];
  const { rows } = await pool.query<{ id: ArtistId; platformId: string }>(WATCHED_AMONG, values);
  return new Map(rows.map(({ id, platformId }) => [platformId, id]));
}

export interface Health {
  readonly artists: number;
  readonly checkedAt: Date | null;
  readonly brokenArtists: ReadonlyArray<{
    readonly id: ArtistId;
    readonly name: string;
    readonly status: 'stale' | 'not_found';
  }>;
  readonly channels: number;
  readonly disabledChannels: number;
  readonly brokenChannels: readonly UnhealthyDestination[];
}

export async function readHealth(
  pool: Database['pool'],
  intervalFactor: number,
  { accountId, limit, now }: { readonly accountId: AccountId; readonly limit: number; readonly now: Date },
): Promise<Health> {
  const { rows } = await pool.query<Health>({
    // The statement name contains the factor, because each factor produces a different SQL text.
    name: `read-health-${intervalFactor}`,
    text: `
      SELECT (SELECT count(*)::int FROM watches WHERE account_id = $1) AS artists,
             (SELECT max(last_complete_at) FROM watches WHERE account_id = $1) AS "checkedAt",
             (SELECT coalesce(json_agg(json_build_object('id', late.id, 'name', late.name, 'status', late.status)), '[]')
                FROM (SELECT shown.id, shown.name, shown.status
                        FROM (${shownArtists(intervalFactor)}
                                 AND (a.not_found_since IS NOT NULL OR ${isStaleWatch(intervalFactor)})) shown
                       WHERE shown.status IN ('stale', 'not_found')
                       ORDER BY shown.watch_id
                       LIMIT $3) late) AS "brokenArtists",
             channels, "disabledChannels", "brokenChannels"
        FROM (${CHANNEL_HEALTH}) channel`,
    values: [accountId, now, limit],
  });
  const health = rows[0] as Health;
  const brokenChannels = health.brokenChannels.map(({ switchedOffAt, ...channel }) => ({
    ...channel,
    switchedOffAt: switchedOffAt && new Date(switchedOffAt),
  }));
  return { ...health, brokenChannels };
}

/**
 * Only adds parameters for the requested filters, because optional parameters could make PostgreSQL replan (see
 * anyLength).
 */
function conditionsOf({ status, q = '', group_id: groupId }: ArtistFilter, intervalFactor: number, values: unknown[]) {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const words = (q.match(/\S+/g) ?? []).map(searchPattern);
  const searched =
    words.length === 0
      ? ''
      : `AND (${parameter(q.trim())} IN (a.id, a.platform_id)
              OR NOT EXISTS (SELECT FROM unnest(${parameter(words)}::text[]) word
                              WHERE NOT ${matches('a.name', 'word')}))`;
  // The watch row alone is enough to tell whether a watch is stale, so this condition avoids most joins.
  const late = status === 'stale' ? `AND ${isStaleWatch(intervalFactor)}` : '';
  const filtered = status === undefined ? '' : `WHERE shown.status = ${parameter(status)}`;
  const grouped =
    groupId &&
    `AND w.artist_id IN (SELECT artist_id FROM grouped_artists WHERE account_id = $1 AND group_id = ${parameter(groupId)})`;
  const kind = [late && 'stale', filtered && 'status', searched && 'words', grouped && 'group'].filter(Boolean);
  return { watch: `${late} ${searched} ${grouped ?? ''}`, shown: filtered, kind: [...kind, intervalFactor].join('-') };
}

export function artistList(database: Database, intervalFactor = 1) {
  return {
    async readPage({ accountId, after, limit, now, ...filter }: ArtistPageRequest) {
      const values: unknown[] = [accountId, now, after ?? null, limit === undefined ? null : limit + 1];
      const conditions = conditionsOf(filter, intervalFactor, values);
      const { rows } = await database.pool.query<{ id: WatchId; json: string }>({
        name: `read-artists-${conditions.kind}`,
        text: `
          SELECT shown.watch_id AS id, ${ARTIST_JSON} AS json
            FROM (${shownArtists(intervalFactor, instantText)}
                     AND ($3::text IS NULL OR w.id > $3) ${conditions.watch}
                   ORDER BY w.id) shown
           ${conditions.shown}
           ORDER BY shown.watch_id
           LIMIT $4`,
        values,
      });
      const page = limit === undefined ? rows : rows.slice(0, limit);
      return {
        itemsJson: `[${page.map(({ json }) => json).join(',')}]`,
        next: page.length < rows.length ? page.at(-1)?.id : undefined,
      };
    },

    /** Serialized per account, because it reads every artist's last change and numbers. */
    async readSorted({ accountId, since, sort, offset, limit, now, ...filter }: SortedArtistsRequest) {
      const values: unknown[] = [accountId, now, since, offset, limit];
      const conditions = conditionsOf(filter, intervalFactor, values);
      const [column, direction] = sort.startsWith('-') ? [sort.slice(1), 'DESC'] : [sort, 'ASC'];
      const query = (from: number, count: number) => () =>
        database.pool.query<ArtistRow & { total: number }>({
          name: `read-sorted-artists-${sort}-${conditions.kind}`,
          text: `
            SELECT shown.id, shown.platform_id AS "platformId", shown.name, shown.status, shown.group_ids AS "groupIds", numbers.*, changed."changedAt",
                   count(*) OVER ()::int AS total
              FROM (${shownArtists(intervalFactor)} ${conditions.watch} ORDER BY w.id OFFSET 0) shown
             CROSS JOIN LATERAL (${ARTIST_NUMBERS}) numbers
              LEFT JOIN LATERAL (
                     SELECT c.confirmed_at AS "changedAt" FROM changes c
                      WHERE c.artist_id = shown.id AND c.confirmed_at >= $3
                        AND EXISTS (SELECT FROM feed_items f
                                     WHERE f.account_id = $1 AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id OFFSET 0)
                      ORDER BY c.confirmed_at DESC LIMIT 1) changed ON true
             ${conditions.shown}
             ORDER BY ${SORT_COLUMNS[column as ArtistColumn]} ${direction} NULLS LAST, shown.watch_id
            OFFSET $4 LIMIT $5`,
          values: values.with(3, from).with(4, count),
        });
      const { rows } = await database.perAccount.run(accountId, query(offset, limit));
      // The total is part of each row, and a page past the end has no rows.
      const counted =
        rows.length > 0 || offset === 0 ? rows : (await database.perAccount.run(accountId, query(0, 1))).rows;
      return { artists: rows.map(({ total: _total, ...artist }): ArtistRow => artist), total: counted[0]?.total ?? 0 };
    },
  };
}
