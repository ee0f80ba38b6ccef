import { deleteDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { Route } from '../../../adapters/http/route.js';
import type { Destinations } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';

export function deleteDestinationRoute(destinations: Destinations): Route {
  return {
    operation,
    async answer(request) {
      await destinations.delete(destinationOf(request), request.now);
      return NO_CONTENT;
    },
  };
}
