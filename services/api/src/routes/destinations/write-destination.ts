import { randomBytes } from 'node:crypto';
import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import {
  createDestinationSchema,
  rulesFrom,
  updateDestinationSchema,
} from '@artist-watch/contracts/api/destination-input';
import { ApiError } from '@artist-watch/contracts/api/errors';
import * as operations from '@artist-watch/contracts/api/operations/destination-operations';
import { actorOf } from '@artist-watch/domain/account/actor';
import { type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import { LET_ALL_THROUGH } from '@artist-watch/domain/delivery/destination-rules';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import type { AccountId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
import { parseBody } from '../../adapters/http/request/input.js';
import type { Route } from '../../adapters/http/route.js';
import { destinationOf } from './read-destinations.js';

/** @throws ApiError `invalid_input` when the egress would not send there. */
export async function requireAllowedAddress(
  judge: AddressJudge,
  { url, kind, accountId }: { readonly url: string; readonly kind: DestinationKind; readonly accountId: AccountId },
): Promise<void> {
  const judgement = await judge(url, kind, accountId);
  if (!judgement.ok) throw new ApiError('invalid_input', judgement.message);
}

export function createDestinationRoute(ports: {
  readonly destinations: DestinationStore;
  readonly judge: AddressJudge;
}): Route {
  const { destinations, judge } = ports;
  return {
    operation: operations.createDestination,
    async answer({ principal, now, once, readJson }) {
      const input = parseBody(createDestinationSchema, await readJson());
      const { kind, url } = input;
      // A look-up may take seconds: not for what will be refused in any case.
      await destinations.requireRoom(principal.accountId, principal.plan, kind);
      await requireAllowedAddress(judge, { url, kind, accountId: principal.accountId });
      const wanted = isChat(kind) ? null : input.secret;
      const secret = wanted === 'generate' ? makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES)) : wanted;
      const present = (created: DestinationRecord) => jsonAnswer(201, { ...presentDestination(created), secret });
      const created = await destinations.create(
        {
          id: newId('dst', now),
          accountId: principal.accountId,
          name: input.name ?? null,
          kind,
          url,
          secret,
          rules: { ...LET_ALL_THROUGH, ...rulesFrom(input.rules) },
          by: actorOf(principal),
          now,
        },
        once(present),
      );
      return present(created);
    },
  };
}

export function updateDestinationRoute(ports: {
  readonly destinations: DestinationStore;
  readonly judge: AddressJudge;
}): Route {
  const { destinations, judge } = ports;
  return {
    operation: operations.updateDestination,
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

export function deleteDestinationRoute(destinations: DestinationStore): Route {
  return {
    operation: operations.deleteDestination,
    async answer(request) {
      await destinations.delete(destinationOf(request), request.now);
      return NO_CONTENT;
    },
  };
}
