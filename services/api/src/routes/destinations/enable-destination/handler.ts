import { presentDestination } from '@artist-watch/contracts/api/destination';
import { enableDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationSwitch } from '@artist-watch/persistence/destination/switch';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

export function enableDestinationRoute(switches: DestinationSwitch): Route {
  return {
    operation,
    async answer(request) {
      const destination = await switches.enable(destinationOf(request), request.now, request.idempotencyRecord);
      return jsonAnswer(200, presentDestination(destination));
    },
  };
}
