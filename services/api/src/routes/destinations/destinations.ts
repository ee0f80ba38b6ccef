import { randomBytes } from 'node:crypto';
import type { Cidr } from '@artist-watch/address-policy/ip-address';
import { judgeDestination } from '@artist-watch/address-policy/judge-destination';
import { presentRecoveryPreview, presentTestedDelivery } from '@artist-watch/contracts/api/delivery';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { invalidParam } from '@artist-watch/contracts/api/errors';
import { DESTINATION_OPERATIONS } from '@artist-watch/contracts/api/operations/destination-operations';
import { presentRulesPreview } from '@artist-watch/contracts/api/rules-preview';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import { type DeliveryDetail, type DeliveryReads, waitForAttempt } from '@artist-watch/delivery/store/reads';
import { toActor } from '@artist-watch/domain/account/actor';
import { type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import { ALLOW_ALL } from '@artist-watch/domain/delivery/destination-rules';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import type { DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/redis-request-counter';
import type { Database } from '@artist-watch/persistence/database/database';
import type { DestinationRecord, DestinationReference } from '@artist-watch/persistence/destination/record';
import { previewRules } from '@artist-watch/persistence/destination/rules-preview';
import type { DestinationSecrets } from '@artist-watch/persistence/destination/secrets';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import type { DestinationSwitch } from '@artist-watch/persistence/destination/switch';
import { newId } from '@artist-watch/runtime/ids';
import { type ApiRequest, type Route, routesOf } from '../../adapters/http/route.js';
import { presentRecovered, recoveryRange } from '../deliveries/deliveries.js';

interface DestinationPorts {
  /** Uses the read pool, unlike `destinations`, which uses the write pool. */
  readonly read: DestinationStore;
  readonly destinations: DestinationStore;
  readonly switches: DestinationSwitch;
  readonly secrets: DestinationSecrets;
  readonly deliveries: DeliveryCommands;
  readonly deliveryReads: DeliveryReads;
  readonly reads: Database;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  readonly limits: DestinationLimits;
  readonly stopping: AbortSignal;
}

const present = (destination: DestinationRecord) => jsonAnswer(200, presentDestination(destination));
const newSecret = () => makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));

function named({
  id,
  principal,
}: Pick<ApiRequest, 'principal'> & { id: DestinationId }): Required<DestinationReference> {
  return { id, accountId: principal.accountId, by: toActor(principal) };
}

export function destinationRoutes(ports: DestinationPorts): Route[] {
  const { read, destinations, switches, secrets, deliveries, deliveryReads, allowCidrs } = ports;

  /** @throws ApiError `invalid_input` if the egress proxy would refuse to connect to the URL */
  function requireAllowedAddress(url: string, kind: DestinationKind): void {
    const judgement = judgeDestination(url, { kind, allowCidrs });
    if (!judgement.ok) throw invalidParam('invalid_input', 'url', judgement.message);
  }

  return routesOf(DESTINATION_OPERATIONS, {
    async listDestinations({ principal }) {
      const all = await read.list(principal.accountId);
      return jsonAnswer(200, { data: all.map(presentDestination), next_cursor: null });
    },

    async createDestination({ principal, now, once, readBody }) {
      const { accountId } = principal;
      const {
        kind,
        url,
        name = null,
        secret: asked,
        standard_webhooks = false,
        headers = [],
        rules: given,
      } = await readBody();
      requireAllowedAddress(url, kind);
      const wanted = isChat(kind) ? null : asked;
      const secret = wanted === 'generate' ? newSecret() : wanted;
      const presentCreated = (made: DestinationRecord) => jsonAnswer(201, { ...presentDestination(made), secret });
      const rules = { ...ALLOW_ALL, ...rulesFrom(given) };
      const options = { standardWebhooks: standard_webhooks, headers, rules };
      const destination = { id: newId('dst', now), accountId, name, kind, url, secret, ...options };
      return presentCreated(
        await destinations.create({ ...destination, by: toActor(principal), now }, once(presentCreated)),
      );
    },

    async previewRules({ principal, now, readBody }) {
      const rules = { ...ALLOW_ALL, ...rulesFrom((await readBody()).rules) };
      return jsonAnswer(200, presentRulesPreview(await previewRules(ports.reads, principal.accountId, rules, now)));
    },

    async showDestination(request) {
      return present(await read.show(named(request)));
    },

    async updateDestination(request) {
      const destination = named(request);
      const { name, url, standard_webhooks: standardWebhooks, headers, rules } = await request.readBody();
      if (url !== undefined) {
        const { kind } = await destinations.show(destination);
        requireAllowedAddress(url, kind);
      }
      const given = { ...(name !== undefined && { name }), ...(url !== undefined && { url }) };
      const changes = { ...given, standardWebhooks, headers, rules: rulesFrom(rules) };
      return present(await destinations.update(destination, changes, request.now));
    },

    async deleteDestination(request) {
      await destinations.delete(named(request), request.now);
      return NO_CONTENT;
    },

    async enableDestination(request) {
      return present(await switches.enable(named(request), request.now, request.once(present)));
    },

    async disableDestination(request) {
      return present(await switches.disable(named(request), request.now, request.once(present)));
    },

    async testDestination(request) {
      const { now, once } = request;
      const destination = named(request);
      const { wait_seconds: waitSeconds, change_type: changeType } = await request.readBody();
      const presentTest = (delivery: DeliveryDetail) => jsonAnswer(202, presentTestedDelivery(delivery, waitSeconds));
      await read.show(destination);
      await ports.limits.count('test', destination.id);
      const test = { deliveryId: newId('dlv', now), changeId: newId('chg', now), changeType, now };
      const sent = await deliveries.test(destination, test, once(presentTest));
      return presentTest(await waitForAttempt(deliveryReads, sent, waitSeconds * 1_000, ports.stopping));
    },

    async recoverDestination(request) {
      const destination = named(request);
      const { dry_run: dryRun, cursor, ...input } = await request.readBody();
      const range = recoveryRange(input);
      if (dryRun) {
        return jsonAnswer(200, presentRecoveryPreview(await deliveryReads.previewRecovery(destination, range)));
      }
      const recovery = { ...range, now: request.now, after: cursor as DeliveryId | undefined };
      return presentRecovered(await deliveries.recover(destination, recovery, request.once(presentRecovered)));
    },

    async rotateSecret(request) {
      const { now, once } = request;
      const { replace } = await request.readBody();
      const nextSecret = newSecret();
      const presentRotated = (rotated: DestinationRecord) =>
        jsonAnswer(200, { ...presentDestination(rotated), next_secret: nextSecret });
      return presentRotated(await secrets.rotate(named(request), { nextSecret, replace, now }, once(presentRotated)));
    },

    async activateSecret(request) {
      return present(await secrets.activate(named(request), request.now, request.once(present)));
    },
  });
}
