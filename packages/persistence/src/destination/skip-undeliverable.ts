import { setTimeout } from 'node:timers/promises';
import type { DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Prisma } from '../generated/prisma/client.js';

/**
 * Of a row of `destinations`, called `t`: whether nothing may be sent to it any more. In the words of the partial index
 * `destinations_undeliverable_idx`.
 */
export const IS_UNDELIVERABLE = `(t.state = 'off' OR t.deleted_at IS NOT NULL OR t.plan_required)`;

/** Of such a row: whether a test is sent to it all the same. A destination that is off is tested before it is enabled. */
export const TAKES_TESTS = `(t.deleted_at IS NULL AND NOT t.plan_required)`;

/** Of such a row, with what reason its pending deliveries are skipped; null of any other. */
export const REASON_TO_SKIP = `CASE WHEN t.deleted_at IS NOT NULL THEN 'destination_deleted'
              WHEN t.state = 'off' THEN 'destination_off'
              WHEN t.plan_required THEN 'plan_required' END`;

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
const SKIP_OF_THESE = skipOf('AND t.id = ANY($2) FOR SHARE');

/** One whose row somebody else holds is for the next sweep. The OFFSET 0 asks for deliveries of these alone. */
const SKIP_OF_ALL = skipOf(`
     AND EXISTS (SELECT FROM deliveries
                  WHERE destination_id = t.id AND ${IS_UNCLAIMED} AND NOT (trigger = 'test' AND ${TAKES_TESTS})
                 OFFSET 0)
   LIMIT $1
     FOR SHARE SKIP LOCKED`);

/**
 * @param which of the destinations `t`, as the end of a query. Each one's pending deliveries are read by their own index: how
 *   many there are of others, and what the statistics say of accounts, makes no difference.
 */
function skipOf(which: string): string {
  return `WITH undeliverable AS MATERIALIZED (
            SELECT t.id, ${REASON_TO_SKIP} AS reason, ${TAKES_TESTS} AS takes_tests FROM destinations t
             WHERE ${IS_UNDELIVERABLE} ${which}
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

const HAS_PENDING = `
  SELECT 1 FROM deliveries WHERE destination_id = $1 AND trigger <> 'test' AND ${IS_UNCLAIMED} LIMIT 1`;

const BATCH = 5_000;
/** About as long as a statement of relay or worker keeps a delivery locked, which a skip passes over. */
const LOCKED_FOR_MS = 20;

/**
 * Skips what is pending for a destination that is off, deleted or without a plan, in batches. After the switch, not with
 * it: no worker claims for the destination any more, and a backlog of a million rows holds up nobody.
 */
export async function skipPending(pool: pg.Pool, destinationId: string): Promise<void> {
  while ((await skipUndeliverable(pool, { limit: BATCH, destinationIds: [destinationId] })) === BATCH);
}

/**
 * Skips what `skipPending` has left, in a transaction that holds the destination, so that nothing settles as pending
 * meanwhile: what has come since, and what was locked for a moment. What a worker has in hand is left to it, and tests
 * are sent whatever the state.
 */
export async function skipLatest(transaction: Prisma.TransactionClient, destinationId: DestinationId): Promise<void> {
  while ((await transaction.$queryRawUnsafe<unknown[]>(HAS_PENDING, destinationId)).length > 0) {
    const skipped = await transaction.$executeRawUnsafe(SKIP_OF_THESE, BATCH, [destinationId]);
    if (skipped === 0) await setTimeout(LOCKED_FOR_MS);
  }
}
