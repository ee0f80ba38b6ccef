import { presentDeliveryDetail } from '@artist-watch/contracts/api/delivery';
import { showDelivery as operation } from '@artist-watch/contracts/api/operations/delivery-operations';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { Route } from '../../../adapters/http/route.js';
import { deliveryOf } from '../delivery-of.js';

export function showDeliveryRoute(deliveries: DeliveryReads): Route {
  return {
    operation,
    async answer(request) {
      return jsonAnswer(200, presentDeliveryDetail(await deliveries.show(deliveryOf(request))));
    },
  };
}
