import type pg from 'pg';
import type { QueuedDelivery } from '../queue/delivery-queue.js';
import { IS_PENDING } from './conditions.js';

/** A delivery that the queue should have; `delayMs` until it can be claimed: until its instant, or the end of a claim. */
export interface SweptDelivery extends QueuedDelivery {
  /** The instant of its attempt. */
  readonly dueAt: Date;
}

export interface SweepPage {
  readonly limit: number;
  readonly lookAheadMs: number;
  /** The last delivery of the page before. */
  readonly after?: Pick<SweptDelivery, 'dueAt' | 'deliveryId'> | undefined;
}

/** Earlier than every delivery. */
const FIRST = { dueAt: new Date(0), deliveryId: '' };

/**
 * Pending deliveries that the queue should know of: handed over, and due within `lookAheadMs`. The caller asks the queue
 * which of them it has lost. In pages, since after a wiped Redis there may be many, and in the order of their index, so
 * that each is read once a sweep and those that sleep for hours never.
 *
 * Those in a worker's hands too, or what a worker had that died together with Redis would be missed only when its claims
 * have run out. As long as it lives their jobs are in the queue, and one job too many finds the delivery settled, or early.
 */
export async function expectedInQueue(
  pool: pg.Pool,
  { limit, lookAheadMs, after = FIRST }: SweepPage,
): Promise<SweptDelivery[]> {
  const { rows } = await pool.query<{ id: string; destination_id: string; due_at: Date; delay_ms: number }>({
    name: 'sweep-expected',
    text: `SELECT id, destination_id, next_attempt_at AS due_at,
                  greatest(0, extract(epoch FROM greatest(next_attempt_at, claimed_until) - clock_timestamp())
                              * 1000)::float8 AS delay_ms
             FROM deliveries
            WHERE state = 'pending' AND relay_at IS NULL
              AND next_attempt_at <= statement_timestamp() + $1 * interval '1 millisecond'
              AND (next_attempt_at, id) > ($2::timestamptz, $3::text)
            ORDER BY next_attempt_at, id
            LIMIT $4`,
    values: [lookAheadMs, after.dueAt, after.deliveryId, limit],
  });
  return rows.map((row) => ({
    deliveryId: row.id,
    destinationId: row.destination_id,
    dueAt: row.due_at,
    delayMs: row.delay_ms,
  }));
}

/**
 * Those of the deliveries that the queue should still know of: after the record was read, and before the queue was, a worker may
 * have taken one, settled it and removed its job.
 */
export async function stillExpectedInQueue(pool: pg.Pool, deliveryIds: readonly string[]): Promise<Set<string>> {
  if (deliveryIds.length === 0) return new Set();
  const { rows } = await pool.query<{ id: string }>({
    name: 'sweep-still-expected',
    text: `SELECT d.id FROM deliveries d
            WHERE d.id = ANY($1) AND ${IS_PENDING} AND d.relay_at IS NULL`,
    values: [deliveryIds],
  });
  return new Set(rows.map((row) => row.id));
}
