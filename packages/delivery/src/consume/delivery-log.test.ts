import { PassThrough } from 'node:stream';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import type { ClaimedDelivery } from '../store/claims.js';
import { createDeliveryLog } from './delivery-log.js';
import { createDeliveryMetrics } from './delivery-metrics.js';

const claim: ClaimedDelivery = {
  kind: 'claimed',
  deliveryId: 'dlv_1',
  accountId: 'acc_1',
  destinationId: 'dst_1',
  changeId: 'chg_1',
  trigger: 'change',
  attemptNumber: 1,
  hasTurn: false,
  attemptInRound: 1,
  destinationKind: 'webhook',
  url: 'https://receiver.example/',
  sealedSecret: null,
  body: '{}',
  claimedAtMs: 0,
  claimedUntil: new Date(0),
  ageMs: 0,
  traceparent: null,
};

test.each([
  ['warned', 10, 'webhook_destination_warnings_total'],
  ['switched_off', 20, 'webhook_destinations_switched_off_total'],
] as const)(
  'a destination that is %s has one line with its account and its run, and is counted',
  async (kind, run, name) => {
    const stream = new PassThrough();
    const metrics = createMetrics({ service: 'webhook-worker' });
    const counted = createDeliveryMetrics(metrics, { slots: 1, inFlight: () => 0 });
    const log = createDeliveryLog(createLogger({ service: 'webhook-worker', level: 'info', stream }), counted);
    log.destinationNotified(claim, { kind, consecutiveFailures: run });
    const [line] = await stream.take(1).toArray();
    expect(JSON.parse(String(line))).toMatchObject({
      level: 'warn',
      event: `destination.${kind}`,
      destinationId: 'dst_1',
      accountId: 'acc_1',
      consecutiveFailures: run,
    });
    expect((await metrics.registry.getSingleMetric(name)?.get())?.values).toMatchObject([{ value: 1 }]);
  },
);
