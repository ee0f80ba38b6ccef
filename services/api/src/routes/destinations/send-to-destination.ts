import { presentDeliveryDetail, presentRecoveryPreview } from '@artist-watch/contracts/api/delivery';
import { recoverRequestSchema, testRequestSchema } from '@artist-watch/contracts/api/destination-input';
import * as operations from '@artist-watch/contracts/api/operations/destination-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import {
  type DeliveryDetail,
  type DeliveryReads,
  type Patience,
  whenAttempted,
} from '@artist-watch/delivery/store/reads';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
import { parseBody, parseOptionalBody } from '../../adapters/http/request/input.js';
import type { Route } from '../../adapters/http/route.js';
import { recoveryRange } from '../deliveries/filter-input.js';
import { presentRecovered } from '../deliveries/send-again.js';
import { destinationOf } from './read-destinations.js';

const present = (delivery: DeliveryDetail) => jsonAnswer(202, presentDeliveryDetail(delivery));

export function testDestinationRoute(ports: {
  readonly destinations: DestinationStore;
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
  readonly limits: DestinationLimits;
  readonly patience: Patience;
}): Route {
  const { destinations, deliveries, reads, limits, patience } = ports;
  return {
    operation: operations.testDestination,
    async answer(request) {
      const { now } = request;
      const destination = destinationOf(request);
      const { wait_seconds: waitSeconds, change_type: changeType } = await parseOptionalBody(
        testRequestSchema,
        request,
      );
      await destinations.show(destination);
      await limits.count('test', destination.id);
      const test = { deliveryId: newId('dlv', now), changeId: newId('chg', now), changeType, now };
      const sent = await deliveries.test(destination, test, request.once(present));
      return present(await whenAttempted(reads, sent, waitSeconds * 1_000, patience));
    },
  };
}

export function recoverDestinationRoute({
  deliveries,
  reads,
}: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
}): Route {
  return {
    operation: operations.recoverDestination,
    async answer(request) {
      const destination = destinationOf(request);
      const input = parseBody(recoverRequestSchema, await request.readJson());
      const range = recoveryRange(input);
      if (input.dry_run) {
        return jsonAnswer(200, presentRecoveryPreview(await reads.previewRecovery(destination, range)));
      }
      return presentRecovered(
        await deliveries.recover(destination, { ...range, now: request.now }, request.once(presentRecovered)),
      );
    },
  };
}
