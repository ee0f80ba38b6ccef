import { randomBytes } from 'node:crypto';
import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { createDestinationSchema, rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { createDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { LET_ALL_THROUGH } from '@artist-watch/domain/delivery/destination-rules';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
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
    async answer({ identity, now, once, readJson }) {
      const input = parseBody(createDestinationSchema, await readJson());
      const { kind, url } = input;
      // A look-up may take seconds: not for what will be refused in any case.
      await destinations.requireRoom(identity.accountId, identity.plan, kind);
      await requireAllowedAddress(judge, { url, kind, accountId: identity.accountId });
      const wanted = isChat(kind) ? null : input.secret;
      const secret = wanted === 'generate' ? makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES)) : wanted;
      const present = (created: DestinationRecord) => jsonAnswer(201, { ...presentDestination(created), secret });
      const created = await destinations.create(
        {
          id: newId('dst', now),
          accountId: identity.accountId,
          name: input.name ?? null,
          kind,
          url,
          secret,
          rules: { ...LET_ALL_THROUGH, ...rulesFrom(input.rules) },
          by: actorOf(identity),
          now,
        },
        once(present),
      );
      return present(created);
    },
  };
}
