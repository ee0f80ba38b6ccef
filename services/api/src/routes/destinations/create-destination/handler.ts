import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { createDestinationSchema, rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { createDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { LET_ALL_THROUGH } from '@artist-watch/domain/delivery/destination-rules';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { actorOf } from '../../../application/access/identity.js';
import { requireAllowedAddress } from '../require-allowed-address.js';

export function createDestinationRoute(ports: {
  readonly destinations: DestinationStore;
  readonly judge: AddressJudge;
}): Route {
  const { destinations, judge } = ports;
  return {
    operation,
    async answer({ identity, now, newIds, idempotencyRecord, readJson }) {
      const input = parseBody(createDestinationSchema, await readJson());
      const { kind, url } = input;
      // What is made already is answered, whatever the name of its host leads to by now.
      if (!idempotencyRecord?.progress) {
        // A look-up may take seconds: not for what will be refused in any case.
        await destinations.requireRoom(identity.accountId, identity.plan, kind);
        await requireAllowedAddress(judge, { url, kind, accountId: identity.accountId });
      }
      const wanted = isChat(kind) ? null : input.secret;
      const secret = wanted === 'generate' ? newIds.signingSecret() : wanted;
      const created = await destinations.create(
        {
          id: newIds.id('dst'),
          accountId: identity.accountId,
          name: input.name ?? null,
          kind,
          url,
          secret,
          rules: { ...LET_ALL_THROUGH, ...rulesFrom(input.rules) },
          by: actorOf(identity),
          now,
        },
        idempotencyRecord,
      );
      return jsonAnswer(201, { ...presentDestination(created), secret });
    },
  };
}
