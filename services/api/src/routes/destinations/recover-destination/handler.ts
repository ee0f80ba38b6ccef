import { presentRecoveryPreview } from '@artist-watch/contracts/api/delivery';
import { recoverRequestSchema } from '@artist-watch/contracts/api/destination-input';
import { recoverDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { recoveryRange } from '../../deliveries/filter-input.js';
import { presentRecovered } from '../../deliveries/recover-deliveries/handler.js';
import { destinationOf } from '../destination-of.js';

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
      const input = parseBody(recoverRequestSchema, await request.readJson());
      const range = recoveryRange(input);
      if (input.dry_run) {
        return jsonAnswer(200, presentRecoveryPreview(await reads.previewRecovery(destination, range)));
      }
      return presentRecovered(
        await deliveries.recover(destination, { ...range, now: request.now }, request.once(presentRecovered)),
      );
    },
  };
}
