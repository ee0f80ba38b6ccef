import {
  presentDelivery,
  presentMatchingRecoveryPreview,
  recoverMatchingSchema,
} from '@artist-watch/contracts/api/delivery';
import * as operations from '@artist-watch/contracts/api/operations/delivery-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { actorOf } from '@artist-watch/domain/account/actor';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import { parseBody } from '../../adapters/http/request/input.js';
import type { Route } from '../../adapters/http/route.js';
import { deliveryOf } from './deliveries.js';
import { filterFrom, recoveryRange } from './filter-input.js';

const present = (delivery: DeliveryRecord) => jsonAnswer(202, presentDelivery(delivery));

export function resendDeliveryRoute(ports: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
  readonly limits: DestinationLimits;
}): Route {
  const { deliveries, reads, limits } = ports;
  return {
    operation: operations.resendDelivery,
    async answer(request) {
      const reference = deliveryOf(request);
      await limits.count('resend', (await reads.show(reference)).destinationId);
      return present(await deliveries.resend(reference, request.now, request.once(present)));
    },
  };
}

export const presentRecovered = (recovered: number) => jsonAnswer(202, { recovered });

export function recoverDeliveriesRoute({
  deliveries,
  reads,
}: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
}): Route {
  return {
    operation: operations.recoverDeliveries,
    async answer({ principal, now, once, readJson }) {
      const { accountId } = principal;
      const { dry_run: dryRun, ...input } = parseBody(recoverMatchingSchema, await readJson());
      const filter = filterFrom({ ...input, ...recoveryRange(input) });
      if (dryRun) {
        return jsonAnswer(200, presentMatchingRecoveryPreview(await reads.previewRecoveryOf(accountId, filter)));
      }
      const request = { filter, by: actorOf(principal), now };
      return presentRecovered(await deliveries.recoverMatching(accountId, request, once(presentRecovered)));
    },
  };
}
