import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { AccountId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { changeSummaries } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import { readDestination } from '@artist-watch/persistence/destination/reads';
import { idOfPath } from '../../application/fields.js';
import { ifFound, type PageProblem, type Visit } from '../../application/page.js';

const NEWEST_SHOWN = 5;

export interface FormProblem extends PageProblem {
  /** True if the error is about the name field. */
  readonly isName?: true;
}

export function referenceOf({ account, params: { destination } }: Visit) {
  return { id: idOfPath('dst', 'destination', destination), accountId: account.id };
}

/**
 * If the destination is failing or was switched off, also reads the last attempt.
 *
 * @throws NotFound
 */
export async function readDestinationPage(
  reads: Database,
  reference: { readonly id: DestinationId; readonly accountId: AccountId },
  testId: DeliveryId | undefined,
  now: Date,
) {
  const { id: destinationId, accountId } = reference;
  const deliveries = deliveryReads(reads);
  const [destination, newest, shownTest] = await Promise.all([
    readDestination(reads.pool, reference),
    deliveries.list({ accountId, destinationId, limit: NEWEST_SHOWN }),
    testId && ifFound(deliveries.show({ id: testId, accountId })),
  ]);
  const { state, switchedOffAt, consecutiveFailures } = destination;
  const failedAt = state === 'off' ? switchedOffAt : consecutiveFailures > 0 && now;
  const [summaries, lastAttempt] = await Promise.all([
    changeSummaries(
      reads,
      newest.flatMap(({ changeId }) => changeId ?? []),
    ),
    failedAt ? deliveries.lastAttempt(reference, failedAt) : undefined,
  ]);
  const shown = newest.map((delivery) => ({
    ...delivery,
    change: delivery.changeId === null ? undefined : summaries.get(delivery.changeId),
  }));
  // The test in the URL may belong to a different destination.
  const test = shownTest?.destinationId === destinationId ? shownTest : undefined;
  return { destination, deliveries: shown, test, lastAttempt };
}
