import { parseSince } from '@artist-watch/contracts/api/change-filter';
import { deliveryFilterFrom, deliveryFilterSchema } from '@artist-watch/contracts/api/delivery';
import { type DeliveryDetail, deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-state';
import { whySkipped } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, DeliveryId } from '@artist-watch/domain/ids';
import { changeSummaries } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import { type DestinationLabel, destinationLabels } from '@artist-watch/persistence/destination/reads';
import { z } from 'zod';
import { pageOfList, readFields } from '../../application/fields.js';
import { destinationLabel } from '../../views/text.js';

/** A date without a time means midnight UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const instant = z.string().transform((text, context) => {
  const at = parseSince(DAY.test(text) ? `${text}T00:00:00Z` : text);
  if (at) return at;
  context.addIssue('must be a date such as 2026-05-01, or a time such as 2026-05-01T12:00:00Z');
  return z.NEVER;
});

const FIELDS = { ...deliveryFilterSchema.shape, since: instant, until: instant };

export type AskedDeliveriesFilter = ReturnType<typeof readFilter>;

export function readFilter(query: URLSearchParams) {
  const { typed, read, errors } = readFields(query, FIELDS);
  return { typed, filter: deliveryFilterFrom(read), errors };
}

const PAGE_ROWS = 50;

interface AskedPage {
  readonly filter: DeliveryFilter;
  readonly beforeId: DeliveryId | undefined;
}

export async function readDeliveries(reads: Database, accountId: AccountId, { filter, beforeId }: AskedPage) {
  const [read, destinations] = await Promise.all([
    deliveryReads(reads).list({ ...filter, accountId, beforeId, limit: PAGE_ROWS + 1 }),
    destinationLabels(reads, accountId),
  ]);
  return { ...(await rowsOf(reads, read, destinations)), destinations };
}

export async function readMissed(reads: Database, accountId: AccountId, { filter, beforeId }: AskedPage) {
  const [{ count, leftOut }, destinations] = await Promise.all([
    deliveryReads(reads).previewMatchingRecovery(accountId, filter),
    destinationLabels(reads, accountId),
  ]);
  const asked = destinations.find(({ id }) => id === filter.destinationId);
  const off = asked?.isUndeliverable ? asked : undefined;
  const missedBy = off ? [off.id] : destinations.flatMap(({ id, isUndeliverable }) => (isUndeliverable ? [] : id));
  const read = await deliveryReads(reads).list({ ...filter, accountId, beforeId, missedBy, limit: PAGE_ROWS + 1 });
  const shown = await rowsOf(reads, read, destinations);
  // If the destination is off, the page shows how many deliveries could be sent after enabling it.
  return { ...shown, destinations, off, count: off ? leftOut : count, leftOut: off ? 0 : leftOut };
}

async function rowsOf(reads: Database, read: readonly DeliveryRecord[], destinations: readonly DestinationLabel[]) {
  const { shown, next } = pageOfList(read, PAGE_ROWS);
  const summaries = await changeSummaries(
    reads,
    shown.flatMap(({ changeId }) => changeId ?? []),
  );
  const rows = shown.map((delivery) => {
    const { changeId, destinationId } = delivery;
    const destination = destinations.find(({ id }) => id === destinationId);
    return {
      ...delivery,
      change: changeId === null ? undefined : summaries.get(changeId),
      to: destination ? destinationLabel(destination) : destinationId,
    };
  });
  return { rows, next };
}

/** @throws NotFound */
export async function readDelivery(
  reads: Database,
  reference: { id: DeliveryId; accountId: AccountId },
  dashboardUrl: string | undefined,
) {
  const delivery: DeliveryDetail = await deliveryReads(reads, dashboardUrl).show(reference);
  const destinations = await destinationLabels(reads, reference.accountId);
  const skippedReason = delivery.state === 'skipped' ? whySkipped(delivery.skippedReason) : null;
  return {
    delivery: { ...delivery, skippedReason },
    destination: destinations.find(({ id }) => id === delivery.destinationId),
  };
}
