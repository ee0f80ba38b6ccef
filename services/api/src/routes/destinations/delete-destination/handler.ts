import { deleteDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

export function deleteDestinationRoute(destinations: DestinationStore): Route {
  return {
    operation,
    async answer(request) {
      await destinations.delete(destinationOf(request), request.now);
      return NO_CONTENT;
    },
  };
}
