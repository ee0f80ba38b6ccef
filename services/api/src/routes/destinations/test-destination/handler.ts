import { presentDeliveryDetail } from '@artist-watch/contracts/api/delivery';
import { testRequestSchema } from '@artist-watch/contracts/api/destination-input';
import { testDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryDetail, DeliveryReads } from '@artist-watch/delivery/store/reads';
import { type Patience, whenAttempted } from '@artist-watch/delivery/store/when-attempted';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
import { parseOptionalBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

const present = (delivery: DeliveryDetail) => jsonAnswer(202, presentDeliveryDetail(delivery));

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
      const { now } = request;
      const destination = destinationOf(request);
      const { wait_seconds: waitSeconds, change_type: changeType } = await parseOptionalBody(
        testRequestSchema,
        request,
      );
      await destinations.show(destination);
      await limits.count('test', destination.id);
      const test = { deliveryId: newId('dlv', now), changeId: newId('chg', now), changeType, now };
      const sent = await deliveries.test(destination, test, request.once(present));
      return present(await whenAttempted(reads, sent, waitSeconds * 1_000, patience));
    },
  };
}
