import { presentDestination } from '@artist-watch/contracts/api/destination';
import { listDestinations as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import type { Route } from '../../../adapters/http/route.js';

export function listDestinationsRoute(destinations: DestinationStore): Route {
  return {
    operation,
    async answer({ identity }) {
      const all = await destinations.list(identity.accountId);
      return jsonAnswer(200, { data: all.map(presentDestination), next_cursor: null });
    },
  };
}
