import type pg from 'pg';

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
