import { randomBytes } from 'node:crypto';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { rotateSecretSchema } from '@artist-watch/contracts/api/destination-input';
import * as operations from '@artist-watch/contracts/api/operations/destination-operations';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { DestinationSecrets } from '@artist-watch/persistence/destination/secrets';
import type { DestinationSwitch } from '@artist-watch/persistence/destination/switch';
import { parseOptionalBody } from '../../adapters/http/request/input.js';
import type { Route } from '../../adapters/http/route.js';
import { destinationOf } from './read-destinations.js';

const present = (destination: DestinationRecord) => jsonAnswer(200, presentDestination(destination));

export function enableDestinationRoute(switches: DestinationSwitch): Route {
  return {
    operation: operations.enableDestination,
    async answer(request) {
      return present(await switches.enable(destinationOf(request), request.now, request.once(present)));
    },
  };
}

export function disableDestinationRoute(switches: DestinationSwitch): Route {
  return {
    operation: operations.disableDestination,
    async answer(request) {
      return present(await switches.disable(destinationOf(request), request.now, request.once(present)));
    },
  };
}

export function rotateSecretRoute(secrets: DestinationSecrets): Route {
  return {
    operation: operations.rotateSecret,
    async answer(request) {
      const destination = destinationOf(request);
      const { replace } = await parseOptionalBody(rotateSecretSchema, request);
      const nextSecret = makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));
      const presentRotated = (rotated: DestinationRecord) =>
        jsonAnswer(200, { ...presentDestination(rotated), next_secret: nextSecret });
      return presentRotated(
        await secrets.rotate(destination, { nextSecret, replace, now: request.now }, request.once(presentRotated)),
      );
    },
  };
}

export function activateSecretRoute(secrets: DestinationSecrets): Route {
  return {
    operation: operations.activateSecret,
    async answer(request) {
      return present(await secrets.activate(destinationOf(request), request.now, request.once(present)));
    },
  };
}
