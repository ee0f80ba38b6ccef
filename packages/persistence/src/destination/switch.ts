import { SWITCHED_OFF_BY_REQUEST } from '@artist-watch/domain/delivery/delivery-state';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import type { Once } from '../idempotency-store.js';
import { withDestinationLocked } from './lock.js';
import { readDestination } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';
import { skipLatest, skipPending } from './skip-undeliverable.js';

/** SQL condition that is true if the next attempt for delivery `d` counts toward the release window. */
export const IS_FIRST_ATTEMPT = `(d.attempt_count = d.round_start AND d.trigger IN ('change', 'recover'))`;

const COUNTED_IN_FLIGHT = `(SELECT count(*)::int FROM deliveries d
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

export type DestinationSwitch = ReturnType<typeof destinationSwitch>;

export function destinationSwitch(database: Database) {
  return {
    /**
     * Enables a destination and resets its failure count. Old pending deliveries are skipped
     * (docs/api/webhooks.md).
     * @throws NotFound
     */
    async enable(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      await readDestination(database.pool, reference);
      await skipPending(database.pool, reference.id);
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.state === 'active' && destination.consecutiveFailures === 0) return undefined;
        if (destination.state === 'off') await skipLatest(transaction, reference.id);
        await transaction.destination.update({
          where: { id: destination.id },
          data: {
            state: 'active',
            consecutiveFailures: 0,
            switchedOffAt: null,
            switchedOffReason: null,
            paceMs: null,
            pacedUntil: null,
          },
        });
        // Skipping deliveries in flight may have left the counter too high.
        await transaction.$executeRawUnsafe(
          `UPDATE destinations t SET in_flight = ${COUNTED_IN_FLIGHT} WHERE t.id = $1`,
          destination.id,
        );
        return { what: 'enabled', reason: 'Enabled' };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Disables a destination and skips its pending deliveries.
     * @throws NotFound
     */
    async disable(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.state === 'off') return undefined;
        await transaction.destination.update({
          where: { id: destination.id },
          data: { state: 'off', switchedOffAt: now, switchedOffReason: SWITCHED_OFF_BY_REQUEST },
        });
        return { what: 'disabled', reason: SWITCHED_OFF_BY_REQUEST };
      });
      await skipPending(database.pool, reference.id);
      return readDestination(database.pool, reference);
    },
  };
}
