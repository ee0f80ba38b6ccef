import { type ArtistStatus, artistSchema, STALE_REASONS } from '@artist-watch/contracts/api/artist';
import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import { PLATFORM_NAMES, type Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId, WatchId } from '@artist-watch/domain/ids';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import type { Database } from '../database/database.js';
import { instantText, matches, searchPattern } from '../database/sql-text.js';
import { CHANNEL_HEALTH, type UnhealthyDestination } from '../destination/reads.js';

export interface ArtistPageRequest {
  readonly accountId: AccountId;
  readonly status?: ArtistStatus | undefined;
  /** Words of the artist's name, or a complete id (ours or the platform's). */
  readonly q?: string | undefined;
  readonly after?: WatchId | undefined;
  /** Default: all. */
  readonly limit?: number | undefined;
  readonly now: Date;
}

export interface ArtistPage {
  readonly itemsJson: string;
  readonly next: WatchId | undefined;
}

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

/**
 * SQL that selects watched artists at the time $2. All timestamps belong to the account's own watch (docs/adr/0027).
 */
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
    const message = sentence(PLATFORM_NAMES[platform]);
    return `WHEN '${code}' THEN json_build_object('code', '${code}', 'message', '${message}')`;
  });
  return `WHEN '${platform}' THEN CASE coalesce(a.incomplete_cause, 'not_checked') ${reasons.join(' ')} END`;
}).join(' ')} END)`;

/** The subquery computes the time limit once, not for each watch. */
function isStaleWatch(intervalFactor: number): string {
  return `${LAST} < (SELECT $2::timestamptz - ${STALE_AFTER_INTERVALS} * ${planInterval('plan', intervalFactor)}
                       FROM accounts WHERE id = $1)`;
}

const ARTIST_JSON = `(SELECT row_to_json(item)::text
                        FROM (SELECT ${Object.keys(artistSchema.shape).map((column) => `shown.${column}`)}) item)`;

export const SHOWN_ARTIST = `
  shown.id, shown.platform_id AS "platformId", shown.name, shown.monthly_listeners AS "monthlyListeners",
  shown.followers, shown.metrics_observed_at AS "metricsObservedAt", shown.status,
  shown.merged_into AS "mergedInto", shown.stale_reason AS "staleReason", shown.last_complete_at AS "lastCompleteAt", shown.next_read_at AS "nextReadAt",
  shown.watched_since AS "watchedSince", shown.platform_url AS "platformUrl", shown.metrics`;

const ARTIST_URL = `CASE a.platform ${PLATFORMS.map(
  (platform) => `WHEN '${platform}' THEN '${platformUrl(platform, 'artist', '')}'`,
).join(' ')} END || a.platform_id`;

function availability(isKnown: string): string {
  return `CASE WHEN ${isKnown} THEN 'available' ELSE 'unavailable' END`;
}

/** SQL condition that the platform published a listener count. Without it, 0 means unknown. */
const HAS_LISTENERS = `EXISTS (
  SELECT FROM artist_metrics m
   WHERE m.artist_id = a.id AND m.day = (a.metrics_observed_at AT TIME ZONE 'UTC')::date AND m.monthly_listeners IS NOT NULL)`;

const IS_NOT_FOUND = 'a.not_found_since IS NOT NULL AND a.last_polled_at >= w.created_at';

const IS_MERGED = 'a.merged_into IS NOT NULL AND a.last_polled_at >= w.created_at';

/** Also counts the watches whose artist has been missing for an hour. */
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
  /** Channels that a member switched off do not count. */
  readonly channels: number;
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
             channels, "brokenChannels"
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

export type ArtistList = ReturnType<typeof artistList>;

export function artistList(database: Database, intervalFactor = 1) {
  return {
    async readPage({ accountId, status, q = '', after, limit, now }: ArtistPageRequest): Promise<ArtistPage> {
      const values: unknown[] = [accountId, now, after ?? null, limit === undefined ? null : limit + 1];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const words = (q.match(/\S+/g) ?? []).map(searchPattern);
      // Only the requested filters are in the SQL. Optional parameters could make PostgreSQL replan every call (see
      // anyLength).
      const searched =
        words.length === 0
          ? ''
          : `AND (${parameter(q.trim())} IN (a.id, a.platform_id)
              OR NOT EXISTS (SELECT FROM unnest(${parameter(words)}::text[]) word
                              WHERE NOT ${matches('a.name', 'word')}))`;
      // The watch row alone shows whether a watch is stale, so this condition avoids most joins.
      const late = status === 'stale' ? `AND ${isStaleWatch(intervalFactor)}` : '';
      const filtered = status === undefined ? '' : `WHERE shown.status = ${parameter(status)}`;
      const kind = [late && 'stale', filtered && 'status', searched && 'words'].filter((part) => part !== '');
      const { rows } = await database.pool.query<{ id: WatchId; json: string }>({
        name: `read-artists-${[...kind, intervalFactor].join('-')}`,
        text: `
          SELECT shown.watch_id AS id, ${ARTIST_JSON} AS json
            FROM (${shownArtists(intervalFactor, instantText)}
                     AND ($3::text IS NULL OR w.id > $3) ${late} ${searched}
                   ORDER BY w.id) shown
           ${filtered}
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
  };
}
