import { presentRecoveryPreview, presentTestedDelivery } from '@artist-watch/contracts/api/delivery';
import { presentDestination, presentRulesPreview } from '@artist-watch/contracts/api/destination';
import { rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { DESTINATION_OPERATIONS } from '@artist-watch/contracts/api/operations/destination-operations';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { type DeliveryDetail, deliveryReads, waitForAttempt } from '@artist-watch/delivery/store/reads';
import { toActor } from '@artist-watch/domain/account/actor';
import { ALLOW_ALL } from '@artist-watch/domain/delivery/destination-rules';
import type { DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import {
  type CreatedDestination,
  destinationCommands,
  type RotatedDestination,
} from '@artist-watch/persistence/destination/commands';
import {
  type DestinationRecord,
  type DestinationReference,
  previewRules,
  readDestination,
  readDestinations,
} from '@artist-watch/persistence/destination/reads';
import { newId } from '@artist-watch/runtime/ids';
import { type ApiRequest, type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';
import { answerRecovered, recoveryRange } from '../deliveries/deliveries.js';

const present = (destination: DestinationRecord) => jsonAnswer(200, presentDestination(destination));
const presentCreated = ({ secret, ...created }: CreatedDestination) =>
  jsonAnswer(201, { ...presentDestination(created), secret });
const presentRotated = ({ nextSecret, ...rotated }: RotatedDestination) =>
  jsonAnswer(200, { ...presentDestination(rotated), next_secret: nextSecret });

function named({
  id,
  principal,
}: Pick<ApiRequest, 'principal'> & { id: DestinationId }): Required<DestinationReference> {
  return { id, accountId: principal.accountId, by: toActor(principal) };
}

export function destinationRoutes({ reads, writes, box, allowCidrs, limits, stopping }: RouteParts): Route[] {
  const destinations = destinationCommands(writes, box, allowCidrs);
  const deliveries = deliveryCommands(writes);
  const history = deliveryReads(reads);
  return routesOf(DESTINATION_OPERATIONS, {
    async listDestinations({ principal }) {
      const all = await readDestinations(reads, principal.accountId);
      return jsonAnswer(200, { data: all.map(presentDestination), next_cursor: null });
    },

    async createDestination({ principal, now, once, readBody }) {
      const { name = null, standard_webhooks: standardWebhooks, rules, ...given } = await readBody();
      const by = toActor(principal);
      const destination = { ...given, name, standardWebhooks, rules: rulesFrom(rules) };
      const request = { ...destination, accountId: principal.accountId, by, now };
      return presentCreated(await destinations.create(request, once(presentCreated)));
    },

    async previewRules({ principal, now, readBody }) {
      const rules = { ...ALLOW_ALL, ...rulesFrom((await readBody()).rules) };
      return jsonAnswer(200, presentRulesPreview(await previewRules(reads, principal.accountId, rules, now)));
    },

    async showDestination(request) {
      return present(await readDestination(reads.pool, named(request)));
    },

    async updateDestination(request) {
      const { standard_webhooks: standardWebhooks, rules, ...given } = await request.readBody();
      const changes = { ...given, standardWebhooks, rules: rulesFrom(rules) };
      return present(await destinations.update(named(request), changes, request.now));
    },

    async deleteDestination(request) {
      await destinations.delete(named(request), request.now);
      return NO_CONTENT;
    },

    async enableDestination(request) {
      return present(await destinations.enable(named(request), request.now, request.once(present)));
    },

    async disableDestination(request) {
      return present(await destinations.disable(named(request), request.now, request.once(present)));
    },

    async testDestination(request) {
      const { now, once } = request;
      const destination = named(request);
      const { wait_seconds: waitSeconds, change_type: changeType } = await request.readBody();
      const presentTest = (delivery: DeliveryDetail) => jsonAnswer(202, presentTestedDelivery(delivery, waitSeconds));
      await readDestination(reads.pool, destination);
      await limits.count('test', destination.id);
      const test = { deliveryId: newId('dlv', now), changeId: newId('chg', now), changeType, now };
      const pending = await deliveries.test(destination, test, once(presentTest));
      return presentTest(await waitForAttempt(history, pending, waitSeconds * 1_000, stopping));
    },

    async recoverDestination(request) {
      const destination = named(request);
      const { dry_run: dryRun, cursor, ...input } = await request.readBody();
      const range = recoveryRange(input);
      if (dryRun) {
        return jsonAnswer(200, presentRecoveryPreview(await history.previewRecovery(destination, range)));
      }
      const recovery = { ...range, now: request.now, after: cursor as DeliveryId | undefined };
      return answerRecovered(await deliveries.recover(destination, recovery, request.once(answerRecovered)));
    },

    async rotateSecret(request) {
      const rotation = { ...(await request.readBody()), now: request.now };
      return presentRotated(await destinations.rotate(named(request), rotation, request.once(presentRotated)));
    },

    async activateSecret(request) {
      return present(await destinations.activate(named(request), request.now, request.once(present)));
    },
  });
}
