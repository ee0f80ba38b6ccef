import { recoverDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DeliveryCommands } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';
import { parseRecover } from './schema.js';

export function recoverDestinationRoute(deliveries: DeliveryCommands): Route {
  return {
    operation,
    async answer(request) {
      const destination = destinationOf(request);
      const since = parseRecover(await request.readJson());
      const recovered = await deliveries.recover(destination, { since, now: request.now }, request.receipt);
      return jsonAnswer(202, { recovered });
    },
  };
}
