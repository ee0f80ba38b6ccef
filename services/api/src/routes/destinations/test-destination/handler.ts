import { presentDelivery } from '@artist-watch/contracts/api/delivery';
import { testDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DeliveryCommands } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';

export function testDestinationRoute(deliveries: DeliveryCommands): Route {
  return {
    operation,
    async answer(request) {
      const { draws, now, receipt } = request;
      const test = { deliveryId: draws.id('dlv'), changeId: draws.id('chg'), now };
      return jsonAnswer(202, presentDelivery(await deliveries.test(destinationOf(request), test, receipt)));
    },
  };
}
