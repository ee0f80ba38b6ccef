import type { ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';

/**
 * Writes what follows from confirmed changes, in the transaction that confirms them: a feed row for every account that
 * watches the artist, and a delivery for every destination whose rules let the change through. A constant number of
 * statements, however many accounts there are. Running it twice adds nothing.
 *
 * Destinations whose account has left the plan get nothing. Switched-off ones get theirs as `skipped`, so that it can
 * be
 * recovered (docs/reference/webhooks.md).
 *
 * Deliveries of changes that are confirmed together are written change by change, and so the relay finds them: a run of
 * one destination's deliveries would overflow its share of a worker while the others wait.
 *
 * Deliveries are due at once, by the record's clock (docs/adr/0005): a caller whose clock is ahead delays none.
 *
 * @param client a connection inside the transaction in which the changes became `confirmed`.
 */
export async function fanOutChanges(
  client: pg.PoolClient,
  changeIds: readonly ChangeId[],
  now: Date,
): Promise<{ feedItems: number; deliveries: number }> {
  const feed = await client.query(
    `INSERT INTO feed_items (account_id, confirmed_at, change_id)
     SELECT w.account_id, c.confirmed_at, c.id
       FROM changes c JOIN watches w ON w.artist_id = c.artist_id
      WHERE c.id = ANY($1)
     ON CONFLICT DO NOTHING`,
    [changeIds],
  );
  const deliveries = await client.query(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, next_attempt_at, relay_at, created_at,
                             settled_at, skipped_reason)
     SELECT new_id('dlv', $2::timestamptz), d.account_id, d.id, c.id,
            CASE WHEN d.state = 'active' THEN 'pending' ELSE 'skipped' END::delivery_state,
            CASE WHEN d.state = 'active' THEN due.at END,
            CASE WHEN d.state = 'active' THEN due.at END,
            $2::timestamptz,
            CASE WHEN d.state = 'off' THEN $2::timestamptz END,
            CASE WHEN d.state = 'off' THEN 'destination_off' END
       FROM changes c
       JOIN watches w ON w.artist_id = c.artist_id
       JOIN destinations d ON d.account_id = w.account_id AND d.deleted_at IS NULL AND NOT d.plan_required
      CROSS JOIN (SELECT least($2::timestamptz, now()) AS at) due
      WHERE c.id = ANY($1)
        AND (d.min_severity IS NULL OR c.severity <= d.min_severity)
        AND (cardinality(d.change_types) = 0 OR c.type = ANY(d.change_types))
        AND (cardinality(d.artist_ids) = 0 OR c.artist_id = ANY(d.artist_ids))
      ORDER BY c.id, d.id
     ON CONFLICT (change_id, destination_id) DO NOTHING`,
    [changeIds, now],
  );
  return { feedItems: feed.rowCount ?? 0, deliveries: deliveries.rowCount ?? 0 };
}
