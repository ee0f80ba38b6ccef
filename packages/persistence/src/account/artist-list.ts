import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { instantText } from '../database/json-text.js';

export interface ArtistList {
  /** A JSON array of the artists that the account watches, as the API shows them, oldest watch first. */
  readJson(accountId: AccountId, now: Date): Promise<string>;
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
 * account's own watch (docs/adr/0027), so that none of them tells of others who watch the artist.
 *
 * @param instant how a timestamptz is selected.
 */
export function shownArtists(intervalFactor: number, instant: (column: string) => string = (column) => column): string {
  const interval = planInterval('c.plan', intervalFactor);
  const last = 'coalesce(w.last_complete_at, w.created_at)';
  return `
    SELECT a.id, a.platform_id, a.name, a.monthly_listeners, a.followers,
           ${instant('w.metrics_observed_at')} AS metrics_observed_at,
           CASE WHEN ${IS_NOT_FOUND} THEN 'not_found'
                WHEN ${last} + ${STALE_AFTER_INTERVALS} * ${interval} < $2::timestamptz THEN 'stale'
                WHEN w.last_complete_at IS NULL THEN 'pending'
                ELSE 'active' END AS status,
           ${instant('w.last_complete_at')} AS last_complete_at,
           ${instant(`(${last} + ${interval})`)} AS next_read_at
      FROM watches w JOIN artists a ON a.id = w.artist_id JOIN accounts c ON c.id = w.account_id
     WHERE w.account_id = $1`;
}

/** A reading since the watch began, on whoever's behalf, found that the platform has no such artist. */
const IS_NOT_FOUND = 'a.not_found_since IS NOT NULL AND a.last_polled_at >= w.created_at';

/** SQL that counts the watches of the account $1, and those that had no artist for an hour at the instant $2. */
export const COUNT_WATCHES = `
  SELECT count(*)::int AS watches,
         count(*) FILTER (WHERE ${IS_NOT_FOUND}
                            AND greatest(a.not_found_since, w.created_at) <= $2::timestamptz - interval '1 hour'
                         )::int AS "withoutArtist"
    FROM watches w JOIN artists a ON a.id = w.artist_id WHERE w.account_id = $1`;

/** @param intervalFactor POLL_INTERVAL_FACTOR. */
export function artistList(database: Database, intervalFactor = 1): ArtistList {
  // The subquery ends in OFFSET 0 so that it stays one: the order of its rows is the order of the array.
  const text = `
    SELECT '[' || coalesce(string_agg(row_to_json(shown)::text, ','), '') || ']' AS items
      FROM (${shownArtists(intervalFactor, instantText)} ORDER BY w.id OFFSET 0) shown`;
  return {
    async readJson(accountId, now) {
      const { rows } = await database.pool.query<{ items: string }>({
        name: 'read-artists',
        text,
        values: [accountId, now],
      });
      return rows[0]?.items ?? '[]';
    },
  };
}
