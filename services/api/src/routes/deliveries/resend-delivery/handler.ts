import { presentDelivery } from '@artist-watch/contracts/api/delivery';
import { resendDelivery as operation } from '@artist-watch/contracts/api/operations/delivery-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { Route } from '../../../adapters/http/route.js';
import { deliveryOf } from '../delivery-of.js';

export function resendDeliveryRoute(ports: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
  readonly limits: DestinationLimits;
}): Route {
  const { deliveries, reads, limits } = ports;
  return {
    operation,
    async answer(request) {
      const { now, idempotencyRecord } = request;
      const reference = deliveryOf(request);
      if (!idempotencyRecord?.progress) await limits.count('resend', (await reads.show(reference)).destinationId);
      return jsonAnswer(202, presentDelivery(await deliveries.resend(reference, now, idempotencyRecord)));
    },
  };
}
