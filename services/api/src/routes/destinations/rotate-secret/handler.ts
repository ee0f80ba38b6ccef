import { presentDestination } from '@artist-watch/contracts/api/destination';
import { rotateSecret as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DestinationSecrets } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';

export function rotateSecretRoute(secrets: DestinationSecrets): Route {
  return {
    operation,
    async answer(request) {
      const nextSecret = request.draws.signingSecret();
      const rotated = await secrets.rotate(destinationOf(request), nextSecret, request.now, request.receipt);
      return jsonAnswer(200, { ...presentDestination(rotated), next_secret: nextSecret });
    },
  };
}
