import type { DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { skipUndeliverable } from '../delivery/sweep.js';
import type { Prisma } from '../generated/prisma/client.js';

const BATCH = 5_000;

/**
 * Skips what is pending for a destination that was just switched off or deleted. In batches after the switch, not with
 * it: no worker claims for the destination any more, and a backlog of a million rows holds up nobody.
 */
export async function skipPending(pool: pg.Pool, destinationId: DestinationId): Promise<void> {
  while ((await skipUndeliverable(pool, { limit: BATCH, destinationIds: [destinationId] })) === BATCH);
}

/**
 * Whether something is pending that no worker has in hand: what `skipPending` will skip, or has passed over because it
 * was locked for a moment.
 */
export async function hasPending(
  transaction: Prisma.TransactionClient,
  destinationId: DestinationId,
): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM deliveries
     WHERE destination_id = ${destinationId} AND state = 'pending'
       AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
     LIMIT 1`;
  return rows.length > 0;
}
