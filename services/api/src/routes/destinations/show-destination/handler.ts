import { presentDestination } from '@artist-watch/contracts/api/destination';
import { showDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

export function showDestinationRoute(destinations: DestinationStore): Route {
  return {
    operation,
    async answer(request) {
      return jsonAnswer(200, presentDestination(await destinations.show(destinationOf(request))));
    },
  };
}
