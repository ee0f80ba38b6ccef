import type pg from 'pg';
import { IS_UNDELIVERABLE, REASON_TO_SKIP, TAKES_TESTS } from './undeliverable.js';

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
