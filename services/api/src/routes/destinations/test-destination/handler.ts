import { presentDelivery } from '@artist-watch/contracts/api/delivery';
import { testDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DeliveryCommands, IdSource } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';

export function testDestinationRoute(ports: {
  readonly deliveries: DeliveryCommands;
  readonly newId: IdSource;
}): Route {
  const { deliveries, newId } = ports;
  return {
    operation,
    async answer(request) {
      const { now } = request;
      const test = { deliveryId: newId('dlv', now), changeId: newId('chg', now), now };
      return jsonAnswer(202, presentDelivery(await deliveries.test(destinationOf(request), test)));
    },
  };
}
