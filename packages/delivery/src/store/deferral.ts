import type pg from 'pg';
import { IS_PENDING, WITHOUT_WAITING_FOR_THE_DISK } from './conditions.js';

/** A delivery that cannot go now, and whose job is gone. */
export interface Deferral {
  readonly deliveryId: string;
  /** Until the relay hands it to the queue again; `pace`: when the pacing of its destination lets it go. */
  readonly until: { readonly delayMs: number } | 'pace';
}

/** Lets deliveries wait in the record. What was settled or claimed meanwhile is left alone. */
export async function deferDeliveries(pool: pg.Pool, deferrals: readonly Deferral[]): Promise<void> {
  await pool.query({
    name: 'defer',
    text: `UPDATE deliveries d
              SET relay_at = coalesce(date_trunc('milliseconds', clock_timestamp() + w.delay_ms * interval '1 millisecond'),
                                      'infinity')
             FROM ${WITHOUT_WAITING_FOR_THE_DISK} CROSS JOIN unnest($1::text[], $2::float8[]) AS w(id, delay_ms)
            WHERE d.id = w.id AND ${IS_PENDING}
              AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp())`,
    values: [
      deferrals.map(({ deliveryId }) => deliveryId),
      deferrals.map(({ until }) => (until === 'pace' ? null : until.delayMs)),
    ],
  });
}

/**
 * Hands to the relay what the pacing of destinations lets go: of each that is paced the oldest delivery once its pause is
 * over, of each that is paced no longer all. Derived from the rows alone, so that nothing is lost with a process. A
 * delivery that gets no turn after all (`claimDeliveries` gives one at a time) is deferred again.
 *
 * @returns how many were released; `limit` means that there may be more.
 */
export async function releaseDeferred(pool: pg.Pool, limit: number): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'release-deferred',
    // Each destination that has any is found by one step through the index, whatever the number of its deliveries.
    text: `WITH RECURSIVE deferring(id) AS (
             (SELECT destination_id FROM deliveries WHERE relay_at = 'infinity' ORDER BY destination_id LIMIT 1)
             UNION ALL
             SELECT (SELECT d.destination_id FROM deliveries d
                      WHERE d.relay_at = 'infinity' AND d.destination_id > deferring.id
                      ORDER BY d.destination_id LIMIT 1)
               FROM deferring WHERE deferring.id IS NOT NULL
           ), due AS (
             SELECT oldest.id, t.pace_ms IS NULL AS is_due
               FROM deferring JOIN destinations t ON t.id = deferring.id
              CROSS JOIN LATERAL (
                    SELECT id FROM deliveries
                     WHERE destination_id = t.id AND relay_at = 'infinity'
                     ORDER BY next_attempt_at, id
                     LIMIT CASE WHEN t.pace_ms IS NULL THEN $1::int ELSE 1 END
                       FOR UPDATE SKIP LOCKED) AS oldest
              WHERE t.pace_ms IS NULL OR t.paced_until <= statement_timestamp()
              LIMIT $1)
           UPDATE deliveries d
              SET relay_at = clock_timestamp(),
                  -- How late it is counts from here; one that is still paced keeps its place in the queue.
                  next_attempt_at = CASE WHEN due.is_due THEN clock_timestamp() ELSE d.next_attempt_at END
             FROM due WHERE d.id = due.id`,
    values: [limit],
  });
  return rowCount ?? 0;
}
