import { presentRecoveryPreview } from '@artist-watch/contracts/api/delivery';
import { recoverDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DeliveryCommands, DeliveryReads } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';
import { parseRecover } from './schema.js';

export function recoverDestinationRoute({
  deliveries,
  reads,
}: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
}): Route {
  return {
    operation,
    async answer(request) {
      const destination = destinationOf(request);
      const { dryRun, ...range } = parseRecover(await request.readJson());
      if (dryRun) {
        return jsonAnswer(200, presentRecoveryPreview(await reads.previewRecovery(destination, range)));
      }
      const recovered = await deliveries.recover(destination, { ...range, now: request.now }, request.receipt);
      return jsonAnswer(202, { recovered });
    },
  };
}
