import { presentDelivery } from '@artist-watch/contracts/api/delivery';
import { resendDelivery as operation } from '@artist-watch/contracts/api/operations/delivery-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { Route } from '../../../adapters/http/route.js';
import { deliveryOf } from '../delivery-of.js';

const present = (delivery: DeliveryRecord) => jsonAnswer(202, presentDelivery(delivery));

export function resendDeliveryRoute(ports: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
  readonly limits: DestinationLimits;
}): Route {
  const { deliveries, reads, limits } = ports;
  return {
    operation,
    async answer(request) {
      const reference = deliveryOf(request);
      await limits.count('resend', (await reads.show(reference)).destinationId);
      return present(await deliveries.resend(reference, request.now, request.once(present)));
    },
  };
}
