import { presentDelivery } from '@artist-watch/contracts/api/delivery';
import { resendDelivery as operation } from '@artist-watch/contracts/api/operations/delivery-operations';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DeliveryCommands } from '../../../application/management/ports.js';
import { deliveryOf } from '../delivery-of.js';

export function resendDeliveryRoute(deliveries: DeliveryCommands): Route {
  return {
    operation,
    async answer(request) {
      const delivery = await deliveries.resend(deliveryOf(request), request.now, request.receipt);
      return jsonAnswer(202, presentDelivery(delivery));
    },
  };
}
