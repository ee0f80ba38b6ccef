import type { Database } from '../database/database.js';
import type { Once } from '../idempotency-store.js';
import { COUNTED_IN_FLIGHT } from './in-flight.js';
import { withDestinationLocked } from './lock.js';
import { readDestination } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';
import { skipLatest, skipPending } from './skip-undeliverable.js';

const DISABLED = 'Switched off by request';

export type DestinationSwitch = ReturnType<typeof destinationSwitch>;

export function destinationSwitch(database: Database) {
  return {
    /**
     * Enables a destination and resets its failure count, also if it is already on. Earlier pending deliveries are
     * skipped first, so that none is sent automatically (docs/reference/webhooks.md). An attempt in progress counts as
     * the first of the new run.
     *
     * @throws NotFound
     */
    async enable(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      // Rejects another account's destination before the first write.
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
        // Deliveries in flight may have been skipped while the destination was off.
        await transaction.$executeRawUnsafe(
          `UPDATE destinations t SET in_flight = ${COUNTED_IN_FLIGHT} WHERE t.id = $1`,
          destination.id,
        );
        return { what: 'enabled', reason: 'Enabled' };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Disables a destination: no more attempts start, and pending deliveries are skipped. A destination that is already
     * off keeps its reason.
     *
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
          data: { state: 'off', switchedOffAt: now, switchedOffReason: DISABLED },
        });
        return { what: 'disabled', reason: DISABLED };
      });
      await skipPending(database.pool, reference.id);
      return readDestination(database.pool, reference);
    },
  };
}
