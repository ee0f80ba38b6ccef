import type { ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { ofAnyLength } from '../database/sql-text.js';

/** So many deliveries of a destination go to the queue directly; the rest of a crowd waits for its turn in the record. */
const DIRECT_TURNS = 4;
/** Of a change with more watching accounts none goes directly: who commits it would be busy with the queue for too long. */
const DIRECT_FEED_ITEMS = 25;
/**
 * Statements that write up to so many feed rows keep their plans: planning them takes as long as running them for a few
 * changes (docs/adr/0038). Those that write more are planned for what there is.
 */
const KEEP_PLANS_UP_TO = 1_000;

/** A delivery that was written as queued: whoever committed it hands it to the queue. */
export interface DirectDelivery {
  readonly deliveryId: string;
  readonly destinationId: string;
}

export interface FannedOut {
  /** Those that go directly included. */
  readonly deliveries: number;
  readonly direct: readonly DirectDelivery[];
}

/**
 * Writes what follows from confirmed changes, in the transaction that confirms them: a feed row for every account that
 * watches the artist, and a delivery for every destination whose rules let the change through. A constant number of
 * statements, however many accounts there are. Running it twice adds nothing.
 *
 * Destinations whose account has left the plan get nothing. Switched-off ones get theirs as `skipped`, so that it can
 * be recovered (docs/reference/webhooks.md).
 *
 * Deliveries of changes that are confirmed together are written change by change, and so the relay finds them: a run of
 * one destination's deliveries would overflow its share of a worker while the others wait.
 *
 * Deliveries are due at once, by the record's clock (docs/adr/0005): a caller whose clock is ahead delays none.
 *
 * @param client a connection inside the transaction in which the changes became `confirmed`.
 * @param mayGoDirectly the first deliveries of each destination that is not paced, and for whose bucket nothing waits, are
 *   written as queued already (docs/adr/0038). The caller hands them to the queue after the commit; what a crash in between
 *   leaves is found by the sweeper.
 */
export async function fanOutChanges(
  client: pg.PoolClient,
  changeIds: readonly ChangeId[],
  now: Date,
  { mayGoDirectly = false }: { readonly mayGoDirectly?: boolean } = {},
): Promise<FannedOut> {
  const feed = await client.query({
    name: 'fan-out-feed',
    text: `${CONFIRMED}
           INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
           SELECT w.account_id, c.confirmed_at, c.id, c.severity
             FROM confirmed c JOIN watches w ON w.artist_id = c.artist_id
           ON CONFLICT DO NOTHING`,
    values: [changeIds],
  });
  const feedItems = feed.rowCount ?? 0;
  const insert = mayGoDirectly && feedItems <= DIRECT_FEED_ITEMS ? INSERT_SOME_DIRECTLY : INSERT_FOR_THE_RELAY;
  const deliveries = await client.query<DirectDelivery & { isDirect: boolean }>({
    ...(feedItems <= KEEP_PLANS_UP_TO && { name: insert.name }),
    text: insert.text,
    values: [changeIds, now],
  });
  return {
    deliveries: deliveries.rowCount ?? 0,
    direct: deliveries.rows.flatMap(({ isDirect, ...delivery }) => (isDirect ? delivery : [])),
  };
}

/**
 * Looks the changes up by their ids before anything else. PostgreSQL would otherwise begin with the accounts that watch, if
 * they are few, and read all changes that the artist ever had: 52 ms in place of 1 for an artist with 10,000.
 */
const CONFIRMED = `WITH confirmed AS MATERIALIZED (
  SELECT id, artist_id, confirmed_at, type, severity FROM changes WHERE id = ANY(${ofAnyLength('$1::text[]')}::text[]))`;

/**
 * Of a wanted delivery `w`. Asks for one row of the index that the relay reads, whatever waits: PostgreSQL would otherwise
 * read the whole backlog once, and compare.
 */
const GOES_DIRECTLY = `row_number() OVER (PARTITION BY w.destination_id ORDER BY w.change_id) <= ${DIRECT_TURNS}
  AND w.pace_ms IS NULL
  AND (SELECT 1 FROM deliveries waiting
        WHERE (get_byte(sha256(waiting.destination_id::bytea), 0) & 63) = (get_byte(sha256(w.destination_id::bytea), 0) & 63)
          AND waiting.relay_at IS NOT NULL
        ORDER BY waiting.relay_at
        LIMIT 1) IS NULL`;

const RETURNING_DIRECT = `RETURNING id AS "deliveryId", destination_id AS "destinationId",
  state = 'pending' AND relay_at IS NULL AS "isDirect"`;

const INSERT_SOME_DIRECTLY = {
  name: 'fan-out-directly',
  text: `${insertDeliveries(GOES_DIRECTLY)} ${RETURNING_DIRECT}`,
};
const INSERT_FOR_THE_RELAY = { name: 'fan-out', text: insertDeliveries('false') };

function insertDeliveries(goesDirectly: string): string {
  return `
    ${CONFIRMED}
    INSERT INTO deliveries (id, account_id, destination_id, change_id, state, next_attempt_at, relay_at, created_at,
                            settled_at, skipped_reason)
    SELECT new_id('dlv', $2::timestamptz), w.account_id, w.destination_id, w.change_id,
           CASE WHEN w.is_active THEN 'pending' ELSE 'skipped' END::delivery_state,
           CASE WHEN w.is_active THEN due.at END,
           CASE WHEN w.is_active AND NOT (${goesDirectly}) THEN due.at END,
           $2::timestamptz,
           CASE WHEN NOT w.is_active THEN $2::timestamptz END,
           CASE WHEN NOT w.is_active THEN 'destination_off' END
      FROM (SELECT d.id AS destination_id, d.account_id, d.state = 'active' AS is_active, d.pace_ms, c.id AS change_id
              FROM confirmed c
              JOIN watches ON watches.artist_id = c.artist_id
              JOIN destinations d ON d.account_id = watches.account_id AND d.deleted_at IS NULL AND NOT d.plan_required
             WHERE (d.min_severity IS NULL OR c.severity <= d.min_severity)
               AND (cardinality(d.change_types) = 0 OR c.type = ANY(d.change_types))
               AND (cardinality(d.artist_ids) = 0 OR c.artist_id = ANY(d.artist_ids))) AS w
     CROSS JOIN (SELECT least($2::timestamptz, now()) AS at) due
     ORDER BY w.change_id, w.destination_id
    ON CONFLICT (change_id, destination_id) DO NOTHING`;
}
