import { type DeliveryDetail, deliveryReads } from '@artist-watch/delivery/store/reads';
import type { AccountId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import { readDestination } from '@artist-watch/persistence/destination/reads';

const NEWEST_SHOWN = 5;

/**
 * A destination with the newest of its deliveries, with the last answer where it is off, and with a test of it.
 *
 * @throws NotFound
 */
export async function readDestinationPage(
  reads: Database,
  reference: { readonly id: DestinationId; readonly accountId: AccountId },
  testId: DeliveryId | undefined,
) {
  const { id: destinationId, accountId } = reference;
  const deliveries = deliveryReads(reads);
  const [destination, newest, test] = await Promise.all([
    readDestination(reads.pool, reference),
    deliveries.list({ accountId, destinationId, limit: NEWEST_SHOWN }),
    testId && readTest(deliveries.show({ id: testId, accountId }), destinationId),
  ]);
  const { state, switchedOffAt } = destination;
  const lastAttempt =
    state === 'off' && switchedOffAt ? await deliveries.lastAttempt(reference, switchedOffAt) : undefined;
  return { destination, deliveries: newest, test, lastAttempt };
}

/** What was sent to another destination, or is no longer kept, is no test of this one. */
async function readTest(shown: Promise<DeliveryDetail>, destinationId: string): Promise<DeliveryDetail | undefined> {
  try {
    const delivery = await shown;
    return delivery.destinationId === destinationId ? delivery : undefined;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}
