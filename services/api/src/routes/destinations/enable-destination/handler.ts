import { presentDestination } from '@artist-watch/contracts/api/destination';
import { enableDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { DestinationSwitch } from '@artist-watch/persistence/destination/switch';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

const present = (destination: DestinationRecord) => jsonAnswer(200, presentDestination(destination));

export function enableDestinationRoute(switches: DestinationSwitch): Route {
  return {
    operation,
    async answer(request) {
      return present(await switches.enable(destinationOf(request), request.now, request.once(present)));
    },
  };
}
