import type pg from 'pg';
import { IS_UNDELIVERABLE, REASON_TO_SKIP, TAKES_TESTS } from '../destination/undeliverable.js';
import { IS_PENDING } from './is-pending.js';

export interface SweptDelivery {
  readonly deliveryId: string;
  readonly destinationId: string;
  /** The instant of its attempt. */
  readonly dueAt: Date;
  /** How long from now until it can be claimed: until its instant, or until the claim that it has runs out; or 0. */
  readonly delayMs: number;
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
 * Those of the deliveries that the queue should still know of: between the two looks at record and queue, a worker may
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

/**
 * Settles as `skipped` what is still pending for destinations that are off, deleted, or whose account has lost the
 * plan: a switch-off that met a confirmation on its way, a worker that died between the switch and this, a downgrade.
 * What a worker is sending right now is left to end by itself, and tests of a destination that is off are sent.
 *
 * @param destinationIds only these; all destinations when left out.
 * @returns how many were skipped; fewer than `limit` means that none is left.
 */
export async function skipUndeliverable(
  pool: pg.Pool,
  { limit, destinationIds }: { readonly limit: number; readonly destinationIds?: readonly string[] },
): Promise<number> {
  const { rowCount } = await pool.query(
    destinationIds
      ? { name: 'skip-undeliverable-of', text: SKIP_OF_THESE, values: [limit, destinationIds] }
      : { name: 'skip-undeliverable', text: SKIP_OF_ALL, values: [limit] },
  );
  return rowCount ?? 0;
}

const IS_UNCLAIMED = `state = 'pending' AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())`;

/**
 * Takes a limit and ids. The destinations' rows are held until all is skipped, as they are below: one that is switched
 * on meanwhile may have recovered the very deliveries that were read as pending.
 */
export const SKIP_OF_THESE = skipOf(`
  SELECT t.id, ${REASON_TO_SKIP} AS reason, ${TAKES_TESTS} AS takes_tests FROM destinations t
   WHERE t.id = ANY($2) AND ${IS_UNDELIVERABLE}
     FOR SHARE`);

/** One whose row somebody else holds is for the next sweep. The OFFSET 0 asks for deliveries of these alone. */
const SKIP_OF_ALL = skipOf(`
  SELECT t.id, ${REASON_TO_SKIP} AS reason, ${TAKES_TESTS} AS takes_tests FROM destinations t
   WHERE ${IS_UNDELIVERABLE}
     AND EXISTS (SELECT FROM deliveries
                  WHERE destination_id = t.id AND ${IS_UNCLAIMED} AND NOT (trigger = 'test' AND ${TAKES_TESTS})
                 OFFSET 0)
   LIMIT $1
     FOR SHARE SKIP LOCKED`);

/**
 * @param destinations a query of id, reason and takes_tests. Each one's pending deliveries are read by their own index: how many
 *   there are of others, and what the statistics say of accounts, makes no difference.
 */
function skipOf(destinations: string): string {
  return `WITH undeliverable AS MATERIALIZED (${destinations}
          ), skipped AS (
            SELECT waiting.id, u.reason
              FROM undeliverable u
             CROSS JOIN LATERAL (
                   SELECT id FROM deliveries
                    WHERE destination_id = u.id AND ${IS_UNCLAIMED} AND NOT (trigger = 'test' AND u.takes_tests)
                    LIMIT $1
                      FOR UPDATE SKIP LOCKED) AS waiting
             LIMIT $1)
          UPDATE deliveries d
             SET state = 'skipped', skipped_reason = s.reason, settled_at = clock_timestamp(),
                 next_attempt_at = NULL, relay_at = NULL, claimed_until = NULL
            FROM skipped s WHERE d.id = s.id`;
}
