import type pg from 'pg';
import { inTransaction } from '../database.js';

export interface DueForQueue {
  readonly deliveryId: string;
  readonly destinationId: string;
  /** How long from now until its attempt; 0 when it is due. */
  readonly delayMs: number;
}

/**
 * Hands deliveries that wait in the record to the queue: claims up to `limit` of them, oldest first, lets `add` queue
 * them, and marks them as queued.
 *
 * Several replicas may run it at once; none takes a row that another holds. A crash between `add` and the mark leaves
 * them to be added again, which the queue ignores as long as the job is there, and the worker's claim refuses otherwise.
 *
 * @param lookAheadMs takes those too that fall due within this time, so that they start on the dot.
 * @returns how many were handed over.
 */
export function relayDeliveries(
  pool: pg.Pool,
  { limit, lookAheadMs }: { readonly limit: number; readonly lookAheadMs: number },
  add: (deliveries: readonly DueForQueue[]) => Promise<void>,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; destination_id: string; delay_ms: number }>({
      name: 'relay-claim',
      text: `SELECT id, destination_id,
                    greatest(0, extract(epoch FROM relay_at - clock_timestamp()) * 1000)::float8 AS delay_ms
               FROM deliveries
              WHERE relay_at <= clock_timestamp() + $2 * interval '1 millisecond'
              ORDER BY relay_at
              LIMIT $1
                FOR UPDATE SKIP LOCKED`,
      values: [limit, lookAheadMs],
    });
    if (rows.length === 0) return 0;
    await add(rows.map((row) => ({ deliveryId: row.id, destinationId: row.destination_id, delayMs: row.delay_ms })));
    await client.query({
      name: 'relay-mark',
      text: 'UPDATE deliveries SET relay_at = NULL WHERE id = ANY($1)',
      values: [rows.map((row) => row.id)],
    });
    return rows.length;
  });
}

/**
 * Takes deliveries out of the queue's care: the relay hands them over again after `delayMs`. For what overflows a
 * destination's share of a worker. Those that were settled or claimed meanwhile are left alone.
 */
export async function parkDeliveries(
  pool: pg.Pool,
  parked: readonly { readonly deliveryId: string; readonly delayMs: number }[],
): Promise<void> {
  await pool.query({
    name: 'park',
    text: `UPDATE deliveries d SET relay_at = date_trunc('milliseconds', clock_timestamp() + p.delay_ms * interval '1 millisecond')
             FROM unnest($1::text[], $2::float8[]) AS p(id, delay_ms)
            WHERE d.id = p.id AND d.state = 'pending'
              AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp())`,
    values: [parked.map((delivery) => delivery.deliveryId), parked.map((delivery) => delivery.delayMs)],
  });
}
