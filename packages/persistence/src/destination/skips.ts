import { setTimeout } from 'node:timers/promises';
import type { DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Prisma } from '../generated/prisma/client.js';
import { SKIP_OF_THESE, skipUndeliverable } from './skip-undeliverable.js';

const BATCH = 5_000;
/** About as long as a statement of relay or worker keeps a delivery locked, which a skip passes over. */
const LOCKED_FOR_MS = 20;

/**
 * Skips what is pending for a destination that is off, deleted or without a plan, in batches. After the switch, not with
 * it: no worker claims for the destination any more, and a backlog of a million rows holds up nobody.
 */
export async function skipPending(pool: pg.Pool, destinationId: DestinationId): Promise<void> {
  while ((await skipUndeliverable(pool, { limit: BATCH, destinationIds: [destinationId] })) === BATCH);
}

/**
 * Skips what `skipPending` has left, in a transaction that holds the destination, so that nothing settles as pending
 * meanwhile: what has come since, and what was locked for a moment. What a worker has in hand is left to it, and tests
 * are sent whatever the state.
 */
export async function skipLatest(transaction: Prisma.TransactionClient, destinationId: DestinationId): Promise<void> {
  while (await hasPending(transaction, destinationId)) {
    const skipped = await transaction.$executeRawUnsafe(SKIP_OF_THESE, BATCH, [destinationId]);
    if (skipped === 0) await setTimeout(LOCKED_FOR_MS);
  }
}

async function hasPending(transaction: Prisma.TransactionClient, destinationId: DestinationId): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM deliveries
     WHERE destination_id = ${destinationId} AND state = 'pending' AND trigger <> 'test'
       AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
     LIMIT 1`;
  return rows.length > 0;
}
