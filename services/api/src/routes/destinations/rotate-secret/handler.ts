import { randomBytes } from 'node:crypto';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { rotateSecretSchema } from '@artist-watch/contracts/api/destination-input';
import { rotateSecret as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { DestinationSecrets } from '@artist-watch/persistence/destination/secrets';
import { parseOptionalBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';

export function rotateSecretRoute(secrets: DestinationSecrets): Route {
  return {
    operation,
    async answer(request) {
      const destination = destinationOf(request);
      const { replace } = await parseOptionalBody(rotateSecretSchema, request);
      const nextSecret = makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));
      const present = (rotated: DestinationRecord) =>
        jsonAnswer(200, { ...presentDestination(rotated), next_secret: nextSecret });
      return present(
        await secrets.rotate(destination, { nextSecret, replace, now: request.now }, request.once(present)),
      );
    },
  };
}
