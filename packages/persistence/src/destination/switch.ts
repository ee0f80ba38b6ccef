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
     * Switches it on, and sets its run of failures to 0, also when it is on already. Nothing is sent by itself
     * (docs/reference/webhooks.md): what is still pending from before is skipped first. What a worker is sending just
     * then is its first of the new run.
     *
     * @throws NotFound
     */
    async enable(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      // Refuses another account's destination before anything of it is written.
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
        // Deliveries in flight may have been skipped while it was off.
        await transaction.$executeRawUnsafe(
          `UPDATE destinations t SET in_flight = ${COUNTED_IN_FLIGHT} WHERE t.id = $1`,
          destination.id,
        );
        return { what: 'enabled', reason: 'Switched on by request' };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Switches it off: from now on nothing is sent, and pending deliveries are skipped. One that is off stays as it is,
     * with the reason that it has.
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
