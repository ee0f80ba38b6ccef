import { presentDestination } from '@artist-watch/contracts/api/destination';
import { activateSecret as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationSecrets } from '@artist-watch/persistence/destination/secrets';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

export function activateSecretRoute(secrets: DestinationSecrets): Route {
  return {
    operation,
    async answer(request) {
      const destination = await secrets.activate(destinationOf(request), request.now, request.idempotencyRecord);
      return jsonAnswer(200, presentDestination(destination));
    },
  };
}
