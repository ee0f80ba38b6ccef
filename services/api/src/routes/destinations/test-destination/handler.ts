import { presentDeliveryDetail } from '@artist-watch/contracts/api/delivery';
import { testRequestSchema } from '@artist-watch/contracts/api/destination-input';
import { testDestination as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { parseOptionalBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import type { DestinationLimits } from '../../../application/management/destination-limits.js';
import type { DeliveryCommands, DeliveryReads, Destinations } from '../../../application/management/ports.js';
import { destinationOf } from '../destination-of.js';

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;

export interface Patience {
  readonly pause: (ms: number) => Promise<unknown>;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Aborted when the process is to end: nobody waits any longer then. */
  readonly stopping: AbortSignal;
}

export function testDestinationRoute(ports: {
  readonly destinations: Destinations;
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
  readonly limits: DestinationLimits;
  readonly patience: Patience;
}): Route {
  const { destinations, deliveries, reads, limits, patience } = ports;
  return {
    operation,
    async answer(request) {
      const { draws, now, receipt } = request;
      const destination = destinationOf(request);
      const { wait_seconds: waitSeconds, change_type: changeType } = await parseOptionalBody(
        testRequestSchema,
        request,
      );
      if (!receipt?.progress) {
        await destinations.show(destination);
        await limits.count('test', destination.id);
      }
      const test = { deliveryId: draws.id('dlv'), changeId: draws.id('chg'), changeType, now };
      await deliveries.test(destination, test, receipt);
      const { accountId } = destination;
      const read = () => reads.show({ id: test.deliveryId, accountId });
      return jsonAnswer(202, presentDeliveryDetail(await whenAttempted(read, waitSeconds * 1_000, patience)));
    },
  };
}

/** The delivery as soon as it has an attempt or is settled, or as it is after `waitMs`. */
async function whenAttempted(
  read: () => ReturnType<DeliveryReads['show']>,
  waitMs: number,
  { pause, monotonicMs, stopping }: Patience,
) {
  const untilMs = monotonicMs() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const delivery = await read();
    const ended = delivery.attempts.length > 0 || delivery.state !== 'pending';
    if (ended || stopping.aborted || monotonicMs() + pauseMs > untilMs) return delivery;
    await pause(pauseMs);
  }
}
