import { presentDeliveryDetail } from '@artist-watch/contracts/api/delivery';
import { testRequestSchema } from '@artist-watch/contracts/api/destination-input';
import { testDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import { type Patience, whenAttempted } from '@artist-watch/delivery/store/when-attempted';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { parseOptionalBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

export function testDestinationRoute(ports: {
  readonly destinations: DestinationStore;
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
  readonly limits: DestinationLimits;
  readonly patience: Patience;
}): Route {
  const { destinations, deliveries, reads, limits, patience } = ports;
  return {
    operation,
    async answer(request) {
      const { newIds, now, idempotencyRecord } = request;
      const destination = destinationOf(request);
      const { wait_seconds: waitSeconds, change_type: changeType } = await parseOptionalBody(
        testRequestSchema,
        request,
      );
      if (!idempotencyRecord?.progress) {
        await destinations.show(destination);
        await limits.count('test', destination.id);
      }
      const test = { deliveryId: newIds.id('dlv'), changeId: newIds.id('chg'), changeType, now };
      await deliveries.test(destination, test, idempotencyRecord);
      const { accountId } = destination;
      const delivery = { id: test.deliveryId, accountId };
      return jsonAnswer(
        202,
        presentDeliveryDetail(await whenAttempted(reads, delivery, waitSeconds * 1_000, patience)),
      );
    },
  };
}
