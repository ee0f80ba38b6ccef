import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { rulesFrom, updateDestinationSchema } from '@artist-watch/contracts/api/destination-input';
import { updateDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { destinationOf } from '../destination-of.js';
import { requireAllowedAddress } from '../require-allowed-address.js';

export function updateDestinationRoute(ports: {
  readonly destinations: DestinationStore;
  readonly judge: AddressJudge;
}): Route {
  const { destinations, judge } = ports;
  return {
    operation,
    async answer(request) {
      const destination = destinationOf(request);
      const { name, url, rules } = parseBody(updateDestinationSchema, await request.readJson());
      if (url !== undefined) {
        // No look-up for what is not there, or belongs to somebody else.
        const { kind } = await destinations.show(destination);
        await requireAllowedAddress(judge, { url, kind, accountId: destination.accountId });
      }
      const changes = {
        ...(name !== undefined && { name }),
        ...(url !== undefined && { url }),
        rules: rulesFrom(rules),
      };
      const updated = await destinations.update(destination, changes, request.now);
      return jsonAnswer(200, presentDestination(updated));
    },
  };
}
