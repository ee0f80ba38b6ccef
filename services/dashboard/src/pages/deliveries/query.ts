import { type DeliveryDetail, deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { AccountId, DeliveryId } from '@artist-watch/domain/ids';
import { changeSummaries } from '@artist-watch/persistence/change/change-summaries';
import type { Database } from '@artist-watch/persistence/database/database';
import { destinationLabels } from '@artist-watch/persistence/destination/names';

const PAGE_ROWS = 50;

/** A page of the account's deliveries with what each is about and whom it went to, newest first. */
export async function readDeliveries(
  reads: Database,
  accountId: AccountId,
  { filter, beforeId }: { readonly filter: DeliveryFilter; readonly beforeId: DeliveryId | undefined },
) {
  const [read, destinations] = await Promise.all([
    deliveryReads(reads).list({ ...filter, accountId, beforeId, limit: PAGE_ROWS + 1 }),
    destinationLabels(reads, accountId),
  ]);
  const shown = read.slice(0, PAGE_ROWS);
  const summaries = await changeSummaries(
    reads,
    shown.flatMap(({ changeId }) => changeId ?? []),
  );
  const rows = shown.map((delivery) => ({
    ...delivery,
    change: delivery.changeId === null ? undefined : summaries.get(delivery.changeId),
    destination: destinations.find(({ id }) => id === delivery.destinationId),
  }));
  return { rows, destinations, next: read.length > PAGE_ROWS ? shown.at(-1)?.id : undefined };
}

/** @throws NotFound */
export async function readDelivery(reads: Database, reference: { id: DeliveryId; accountId: AccountId }) {
  const delivery: DeliveryDetail = await deliveryReads(reads).show(reference);
  const destinations = await destinationLabels(reads, reference.accountId);
  return { delivery, destination: destinations.find(({ id }) => id === delivery.destinationId) };
}
