import { presentDestination } from '@artist-watch/contracts/api/destination';
import { activateSecret as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { DestinationSecrets } from '@artist-watch/persistence/destination/secrets';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

const present = (destination: DestinationRecord) => jsonAnswer(200, presentDestination(destination));

export function activateSecretRoute(secrets: DestinationSecrets): Route {
  return {
    operation,
    async answer(request) {
      return present(await secrets.activate(destinationOf(request), request.now, request.once(present)));
    },
  };
}
