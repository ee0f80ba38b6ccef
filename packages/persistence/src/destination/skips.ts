import type { DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { skipUndeliverable } from '../delivery/sweep.js';

const BATCH = 5_000;

/**
 * Skips what is pending for a destination that was just switched off or deleted. In batches after the switch, not with
 * it: no worker claims for the destination any more, and a backlog of a million rows holds up nobody.
 */
export async function skipPending(pool: pg.Pool, destinationId: DestinationId): Promise<void> {
  while ((await skipUndeliverable(pool, { limit: BATCH, destinationIds: [destinationId] })) === BATCH);
}
