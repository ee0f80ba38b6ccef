import type { Database } from '../database/database.js';
import type { Once } from '../idempotency-store.js';
import { notify, withDestinationLocked } from './lock.js';
import { readDestination } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';
import { skipLatest, skipPending } from './skip-undeliverable.js';

const DISABLED = 'Switched off by request';
const ENABLED = 'Switched on by request';

export interface DestinationSwitch {
  /**
   * Switches it on, and sets its run of failures to 0, also when it is on already. Nothing is sent by itself
   * (docs/reference/webhooks.md): what is still pending from before is skipped first. What a worker is sending just
   * then is its
   * first of the new run.
   *
   * @throws NotFound
   */
  enable(reference: DestinationReference, now: Date, once?: Once<DestinationRecord>): Promise<DestinationRecord>;
  /**
   * Switches it off: from now on nothing is sent, and pending deliveries are skipped. One that is off stays as it is,
   * with the reason that it has.
   *
   * @throws NotFound
   */
  disable(reference: DestinationReference, now: Date, once?: Once<DestinationRecord>): Promise<DestinationRecord>;
}

export function destinationSwitch(database: Database): DestinationSwitch {
  return {
    async enable(reference, now, once) {
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
        await notify(transaction, destination, 'enabled', ENABLED, now);
        return { action: 'destination.enabled' };
      });
      return readDestination(database.pool, reference);
    },

    async disable(reference, now, once) {
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.state === 'off') return undefined;
        await transaction.destination.update({
          where: { id: destination.id },
          data: { state: 'off', switchedOffAt: now, switchedOffReason: DISABLED },
        });
        await notify(transaction, destination, 'disabled', DISABLED, now);
        return { action: 'destination.disabled' };
      });
      await skipPending(database.pool, reference.id);
      return readDestination(database.pool, reference);
    },
  };
}
