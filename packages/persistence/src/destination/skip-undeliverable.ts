import { setTimeout } from 'node:timers/promises';
import type { DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Prisma } from '../generated/prisma/client.js';

/** SQL condition that is true if the next attempt for delivery `d` counts toward the release window. */
export const IS_FIRST_ATTEMPT = `(d.attempt_count = d.round_start AND d.trigger IN ('change', 'recover'))`;

export const COUNTED_IN_FLIGHT = `(SELECT count(*)::int FROM deliveries d
  WHERE d.destination_id = t.id AND d.state = 'pending' AND d.relay_at IS NULL AND ${IS_FIRST_ATTEMPT})`;

/**
 * Lowers in-flight counters that are too high. Counters that are too low correct themselves.
 * @returns the number of corrected destinations.
 */
export async function correctInFlight(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'correct-in-flight',
    text: `WITH counted AS (
             SELECT t.id, t.in_flight - ${COUNTED_IN_FLIGHT} AS excess FROM destinations t WHERE t.in_flight > 0
           ), locked AS (
             SELECT t.id, c.excess FROM destinations t JOIN counted c ON c.id = t.id WHERE c.excess > 0
              ORDER BY t.id FOR NO KEY UPDATE OF t)
           UPDATE destinations t SET in_flight = greatest(0, t.in_flight - l.excess) FROM locked l WHERE t.id = l.id`,
  });
  return rowCount ?? 0;
}

/** SQL condition for the partial index `destinations_undeliverable_idx`. */
export const IS_UNDELIVERABLE = `(t.state = 'off' OR t.deleted_at IS NOT NULL OR t.plan_required)`;

export const TAKES_TESTS = `(t.deleted_at IS NULL AND NOT t.plan_required)`;

/** SQL expression for `skipped_reason`. Null if destination `t` is deliverable. */
export const REASON_TO_SKIP = `CASE WHEN t.deleted_at IS NOT NULL THEN 'destination_deleted'
              WHEN t.state = 'off' THEN 'destination_off'
              WHEN t.plan_required THEN 'plan_required' END`;

/**
 * Marks pending deliveries to undeliverable destinations as `skipped`. Tests and deliveries in progress are not
 * affected.
 * @param destinationIds default: all.
 * @returns the number of skipped deliveries. If it is less than `limit`, none are left.
 */
export async function skipUndeliverable(
  pool: pg.Pool,
  { limit, destinationIds }: { readonly limit: number; readonly destinationIds?: readonly string[] },
): Promise<number> {
  const { rowCount } = await pool.query(
    destinationIds
      ? { name: 'skip-undeliverable-of', text: SKIP_BY_DESTINATION, values: [limit, destinationIds] }
      : { name: 'skip-undeliverable', text: SKIP_ALL, values: [limit] },
  );
  return rowCount ?? 0;
}

const IS_UNCLAIMED = `state = 'pending' AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())`;

/** Destination tests are sent even if the destination is off, but test changes are not. */
const IS_TEST = "trigger = 'test' AND change_id IS NULL";

/** Locks the destinations. Otherwise, deliveries could be skipped right after a destination was enabled. */
const SKIP_BY_DESTINATION = skipSql('AND t.id = ANY($2) FOR SHARE');

/**
 * Leaves locked destinations to the next sweep. OFFSET 0 keeps PostgreSQL from rewriting EXISTS as a join that would
 * read other destinations' deliveries.
 */
const SKIP_ALL = skipSql(`
     AND EXISTS (SELECT FROM deliveries
                  WHERE destination_id = t.id AND ${IS_UNCLAIMED} AND NOT (${IS_TEST} AND ${TAKES_TESTS})
                 OFFSET 0)
   LIMIT $1
     FOR SHARE SKIP LOCKED`);

/**
 * Looks up pending deliveries per destination, so that each lookup uses the index.
 * @param which SQL appended to the query that selects the destinations `t`.
 */
function skipSql(which: string): string {
  return `WITH undeliverable AS MATERIALIZED (
            SELECT t.id, ${REASON_TO_SKIP} AS reason, ${TAKES_TESTS} AS takes_tests FROM destinations t
             WHERE ${IS_UNDELIVERABLE} ${which}
          ), skipped AS (
            SELECT waiting.id, u.reason
              FROM undeliverable u
             CROSS JOIN LATERAL (
                   SELECT id FROM deliveries
                    WHERE destination_id = u.id AND ${IS_UNCLAIMED} AND NOT (${IS_TEST} AND u.takes_tests)
                    LIMIT $1
                      FOR UPDATE SKIP LOCKED) AS waiting
             LIMIT $1)
          UPDATE deliveries d
             SET state = 'skipped', skipped_reason = s.reason, settled_at = clock_timestamp(),
                 next_attempt_at = NULL, relay_at = NULL, claimed_until = NULL
            FROM skipped s WHERE d.id = s.id`;
}

const HAS_PENDING = `
  SELECT 1 FROM deliveries WHERE destination_id = $1 AND NOT (${IS_TEST}) AND ${IS_UNCLAIMED} LIMIT 1`;

const BATCH = 5_000;
/** The release loop and the workers lock a delivery for about this long. */
const LOCK_RETRY_MS = 20;

/**
 * Skips pending deliveries in batches. Call this after the switch-off has been committed, when workers no longer claim
 * deliveries.
 */
export async function skipPending(pool: pg.Pool, destinationId: string): Promise<void> {
  while ((await skipUndeliverable(pool, { limit: BATCH, destinationIds: [destinationId] })) === BATCH);
}

/**
 * Skips deliveries that were created or locked during `skipPending`. The transaction must already have locked the
 * destination.
 */
export async function skipLatest(transaction: Prisma.TransactionClient, destinationId: DestinationId): Promise<void> {
  while ((await transaction.$queryRawUnsafe<unknown[]>(HAS_PENDING, destinationId)).length > 0) {
    const skipped = await transaction.$executeRawUnsafe(SKIP_BY_DESTINATION, BATCH, [destinationId]);
    if (skipped === 0) await setTimeout(LOCK_RETRY_MS);
  }
}
