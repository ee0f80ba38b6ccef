import { type ArtistStatus, artistSchema, STALE_REASONS } from '@artist-watch/contracts/api/artist';
import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import { PLATFORM_NAMES, type Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId, WatchId } from '@artist-watch/domain/ids';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import type { Database } from '../database/database.js';
import { instantText } from '../database/sql-text.js';

export interface ArtistPageRequest {
  readonly accountId: AccountId;
  readonly status?: ArtistStatus | undefined;
  /** Words that the name has, in any letter case; or the whole of an id, the platform's or ours. */
  readonly q?: string | undefined;
  /** The watch that ended the page before. */
  readonly after?: WatchId | undefined;
  /** All of them unless given. */
  readonly limit?: number | undefined;
  readonly now: Date;
}

export interface ArtistPage {
  /** A JSON array of artists as the API shows them, oldest watch first. */
  readonly itemsJson: string;
  /** The last watch of this page when others follow it. */
  readonly next: WatchId | undefined;
}

/** Readings of an artist that a plan asks for may be missed so often before the watch is `stale`. */
const STALE_AFTER_INTERVALS = 3;

/**
 * SQL of the interval of a plan.
 *
 * @param plan SQL of a plan_name.
 * @param intervalFactor POLL_INTERVAL_FACTOR, which scales the plans' intervals.
 */
export function planInterval(plan: string, intervalFactor: number): string {
  const cases = PLAN_NAMES.map((name) => `WHEN '${name}' THEN ${PLANS[name].pollIntervalMs * intervalFactor}`);
  return `(CASE ${plan}::text ${cases.join(' ')} END * interval '1 millisecond')`;
}

/**
 * SQL that selects what an account is shown of the artists it watches, at the instant $2. Every instant belongs to the
 * account's own watch (docs/adr/0027), so that none of them shows that others watch the artist.
 *
 * @param instant how a timestamptz is selected.
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

/** SQL of the code and the sentence of `a.incomplete_cause`. */
const STALE_REASON = `(CASE a.platform ${PLATFORMS.map((platform) => {
  const reasons = Object.entries(STALE_REASONS).map(([code, sentence]) => {
    const message = sentence(PLATFORM_NAMES[platform]);
    return `WHEN '${code}' THEN json_build_object('code', '${code}', 'message', '${message}')`;
  });
  return `WHEN '${platform}' THEN CASE coalesce(a.incomplete_cause, 'not_checked') ${reasons.join(' ')} END`;
}).join(' ')} END)`;

/** SQL of whether a watch is stale, reckoned once for all watches of the account. */
function isLateOfAccount(intervalFactor: number): string {
  return `${LAST} < (SELECT $2::timestamptz - ${STALE_AFTER_INTERVALS} * ${planInterval('plan', intervalFactor)}
                       FROM accounts WHERE id = $1)`;
}

/** SQL of the JSON text of a row of `shownArtists` that is called `shown`, as the API has it. */
const ARTIST_JSON = `(SELECT row_to_json(item)::text
                        FROM (SELECT ${Object.keys(artistSchema.shape).map((column) => `shown.${column}`)}) item)`;

/** SQL that selects a ShownArtist from rows of `shownArtists` that are called `shown`. */
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

/** The day of the last reading that showed counts has listeners: a zero of that day is a count. */
const HAS_LISTENERS = `EXISTS (
  SELECT FROM artist_metrics m
   WHERE m.artist_id = a.id AND m.day = (a.metrics_observed_at AT TIME ZONE 'UTC')::date AND m.monthly_listeners IS NOT NULL)`;

/** A reading since the watch began, on whoever's behalf, found that the platform has no such artist. */
const IS_NOT_FOUND = 'a.not_found_since IS NOT NULL AND a.last_polled_at >= w.created_at';

/** The same of a reading that found that the platform answers with another artist. */
const IS_MERGED = 'a.merged_into IS NOT NULL AND a.last_polled_at >= w.created_at';

/** SQL that counts the watches of the account $1, and those that had no artist for an hour at the instant $2. */
export const COUNT_WATCHES = `
  SELECT (SELECT count(*)::int FROM watches WHERE account_id = $1) AS watches,
         (SELECT count(*)::int FROM watches w JOIN artists a ON a.id = w.artist_id
           WHERE w.account_id = $1 AND ${IS_NOT_FOUND}
             AND greatest(a.not_found_since, w.created_at) <= $2::timestamptz - interval '1 hour') AS "withoutArtist"`;

/** SQL: which of the platform's ids $3 of the platform $2 the account $1 watches, with the ids of the artists. */
export const WATCHED_AMONG = `
  SELECT a.id, a.platform_id AS "platformId" FROM artists a JOIN watches w ON w.artist_id = a.id AND w.account_id = $1
   WHERE a.platform = $2::platform AND a.platform_id = ANY($3::text[])`;

/** The artists that an account watches, by the platform's id, of those that are asked for. */
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

export interface StaleArtists {
  /** Whether the account watches anybody at all. */
  readonly isWatching: boolean;
  /** The oldest watch first. */
  readonly stale: ReadonlyArray<{ readonly id: ArtistId; readonly name: string }>;
}

/** The artists of an account that are `stale`. One statement. @param intervalFactor POLL_INTERVAL_FACTOR */
export async function readStaleArtists(
  pool: Database['pool'],
  intervalFactor: number,
  { accountId, limit, now }: { readonly accountId: AccountId; readonly limit: number; readonly now: Date },
): Promise<StaleArtists> {
  const { rows } = await pool.query<{ isWatching: boolean; id: ArtistId | null; name: string }>({
    // A name stands for one text on its connection, and the factor is part of the text.
    name: `read-stale-artists-${intervalFactor}`,
    // One row also where nobody is stale.
    text: `
      SELECT EXISTS (SELECT FROM watches WHERE account_id = $1) AS "isWatching", late.id, late.name
        FROM (VALUES (1)) one
        LEFT JOIN (SELECT shown.watch_id, shown.id, shown.name
                     FROM (${shownArtists(intervalFactor)} AND ${isLateOfAccount(intervalFactor)}) shown
                    WHERE shown.status = 'stale'
                    ORDER BY shown.watch_id
                    LIMIT $3) late ON true
       ORDER BY late.watch_id`,
    values: [accountId, now, limit],
  });
  return {
    isWatching: rows[0]?.isWatching ?? false,
    stale: rows.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }])),
  };
}

/** Letters of any script have their two cases, whatever the locale of the database. */
const ANY_SCRIPT = 'COLLATE "und-x-icu"';

export type ArtistList = ReturnType<typeof artistList>;

/** @param intervalFactor POLL_INTERVAL_FACTOR. */
export function artistList(database: Database, intervalFactor = 1) {
  return {
    async readPage({ accountId, status, q = '', after, limit, now }: ArtistPageRequest): Promise<ArtistPage> {
      const values: unknown[] = [accountId, now, after ?? null, limit === undefined ? null : limit + 1];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const words = q.normalize('NFC').match(/\S+/g) ?? [];
      // What is not asked for is not in the text: PostgreSQL would plan anew each time, in the hope that it is not.
      const searched =
        words.length === 0
          ? ''
          : `AND (${parameter(q.trim())} IN (a.id, a.platform_id)
              OR NOT EXISTS (SELECT FROM unnest(${parameter(words)}::text[]) word
                              WHERE position(lower(word ${ANY_SCRIPT}) IN lower(a.name ${ANY_SCRIPT})) = 0))`;
      // Few are late: whether a watch is, it says by itself, so the others need no artist.
      const late = status === 'stale' ? `AND ${isLateOfAccount(intervalFactor)}` : '';
      const filtered = status === undefined ? '' : `WHERE shown.status = ${parameter(status)}`;
      const kind = [late && 'stale', filtered && 'status', searched && 'words'].filter((part) => part !== '');
      const { rows } = await database.pool.query<{ id: WatchId; json: string }>({
        // A name stands for one text on its connection, and the factor is part of the text.
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
