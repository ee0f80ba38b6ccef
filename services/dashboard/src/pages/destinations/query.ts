import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import type { Database } from '@artist-watch/persistence/database/database';
import { readDestination } from '@artist-watch/persistence/destination/reads';

const NEWEST_SHOWN = 5;

/** A destination with the newest of its deliveries. @throws NotFound */
export async function readDestinationPage(reads: Database, reference: { id: DestinationId; accountId: AccountId }) {
  const [destination, deliveries] = await Promise.all([
    readDestination(reads.pool, reference),
    deliveryReads(reads).list({ accountId: reference.accountId, destinationId: reference.id, limit: NEWEST_SHOWN }),
  ]);
  return { destination, deliveries };
}
