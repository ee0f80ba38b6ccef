import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/retry-schedule';
import type { ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { allowsArtist } from '../account/groups.js';
import { anyLength } from '../database/sql-text.js';
import { lockDestinations } from '../destination/lock.js';

/**
 * If a statement that may release has more deliveries than this, it leaves all of them to the release loop, which works
 * in batches.
 */
const RELEASES_AT_MOST = 256;

export interface FannedOut {
  readonly deliveries: number;
  /** The caller queues these deliveries after the commit. */
  readonly released: readonly string[];
}

/**
 * Writes feed rows and deliveries (docs/api/webhooks.md). Calling it again adds nothing. The release loop releases the
 * deliveries after the commit, sooner if the caller nudges it.
 */
export async function fanOutChanges(
  client: pg.PoolClient,
  changeIds: readonly ChangeId[],
  now: Date,
): Promise<FannedOut> {
  const { rows } = await client.query<FannedOut>(FAN_OUT, [changeIds, now]);
  return rows[0] as FannedOut;
}

/**
 * SQL condition that is true if rules allow change `c`.
 * @param table the rules' row
 * @param prefix of the rules' columns, such as `mail_`
 */
export function matchesRules(table: string, prefix = ''): string {
  const rule = `${table}.${prefix}`;
  return `(${rule}min_severity IS NULL OR c.severity <= ${rule}min_severity)
       AND (cardinality(${rule}change_types) = 0 OR c.type = ANY(${rule}change_types))
       AND ${allowsArtist('c.artist_id', `${table}.account_id`, `${rule}artist_ids`, `${rule}group_ids`)}`;
}

export const MATCHES_RULES = matchesRules('t');

export const FANNED_OUT = `(SELECT count(*)::int FROM fanned_out) AS deliveries,
  coalesce((SELECT array_agg(id) FROM fanned_out WHERE is_released), '{}') AS released`;

/** MATERIALIZED makes PostgreSQL start with these changes instead of with the accounts that watch the artists. */
const FAN_OUT = `
WITH confirmed AS MATERIALIZED (
  SELECT id, artist_id, confirmed_at, type, severity FROM changes WHERE id = ANY(${anyLength('$1::text[]')}::text[])
), ${fanOut({ now: '$2::timestamptz', releases: 'false' })}
SELECT ${FANNED_OUT}`;

/**
 * Builds SQL that writes feed rows and deliveries for the relation `confirmed`.
 * @param now SQL expression for the time of the rows. If it is ahead of the database's clock, deliveries are due earlier.
 * @param releases SQL condition that is true if deliveries may be released.
 */
export function fanOut({ now, releases }: { readonly now: string; readonly releases: string }): string {
  return `fed AS (
    INSERT INTO feed_items (account_id, confirmed_at, change_id, severity, position)
    SELECT w.account_id, c.confirmed_at, c.id, c.severity, (SELECT feed_position())
      FROM confirmed c JOIN watches w ON w.artist_id = c.artist_id
    ON CONFLICT DO NOTHING
  ), wanted AS MATERIALIZED (
    SELECT t.id AS destination_id, t.account_id, c.id AS change_id, t.state = 'active' AS is_active,
           t.state = 'active' AND t.pace_ms IS NULL AND t.in_flight < ${RELEASE_WINDOW.start} AS looks_free,
           row_number() OVER (PARTITION BY t.id ORDER BY c.id) AS place
      FROM confirmed c
      JOIN watches ON watches.artist_id = c.artist_id
      JOIN destinations t ON t.account_id = watches.account_id AND t.deleted_at IS NULL AND NOT t.plan_required
     WHERE ${MATCHES_RULES}
  ), free AS MATERIALIZED (
    ${lockDestinations(
      `SELECT destination_id AS id FROM wanted w
        WHERE ${releases} AND looks_free AND (SELECT count(*) FROM wanted) <= ${RELEASES_AT_MOST}
          AND NOT EXISTS (SELECT FROM deliveries d
                           WHERE d.destination_id = w.destination_id AND d.state = 'pending' AND d.relay_at IS NOT NULL)`,
      `t.id, t.state = 'active' AS is_active,
       CASE WHEN t.state = 'active' AND t.pace_ms IS NULL THEN ${RELEASE_WINDOW.start} - t.in_flight ELSE 0 END AS room`,
      'FOR NO KEY UPDATE',
    )}
  ), fanned_out AS (
    INSERT INTO deliveries (id, account_id, destination_id, change_id, state, next_attempt_at, relay_at, created_at,
                            settled_at, skipped_reason)
    SELECT new_id('dlv', ${now}), w.account_id, w.destination_id, w.change_id,
           CASE WHEN own.is_active THEN 'pending' ELSE 'skipped' END::delivery_state,
           CASE WHEN own.is_active THEN due.at END,
           CASE WHEN own.is_active AND w.place > coalesce(free.room, 0) THEN due.at END,
           ${now},
           CASE WHEN NOT own.is_active THEN ${now} END,
           CASE WHEN NOT own.is_active THEN 'destination_off' END
      FROM wanted w
      LEFT JOIN free ON free.id = w.destination_id
     CROSS JOIN LATERAL (SELECT coalesce(free.is_active, w.is_active) AS is_active) own
     CROSS JOIN (SELECT least(${now}, now()) AS at) due
     ORDER BY w.change_id, w.destination_id
    ON CONFLICT (change_id, destination_id) DO NOTHING
    RETURNING id, destination_id, state = 'pending' AND relay_at IS NULL AS is_released
  ), counted AS (
    UPDATE destinations t SET in_flight = t.in_flight + r.count
      FROM (SELECT destination_id, count(*)::int AS count FROM fanned_out WHERE is_released GROUP BY destination_id) r
     WHERE t.id = r.destination_id
  )`;
}
