import { PassThrough } from 'node:stream';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import { createDeliveryLog, createDeliveryMetrics } from './delivery-log.js';
import { RequestSlots } from './request-slots.js';

test.each([
  ['warned', 10, 'artist_watch_webhook_destination_warnings_total'],
  ['switched_off', 20, 'artist_watch_webhook_destinations_switched_off_total'],
] as const)(
  'a destination that is %s is counted, and logged with its account and the number of consecutive failures',
  async (kind, run, name) => {
    const stream = new PassThrough();
    const metrics = createMetrics({ service: 'webhook-worker' });
    const counted = createDeliveryMetrics(metrics, new RequestSlots(1));
    const log = createDeliveryLog(createLogger({ service: 'webhook-worker', level: 'info', stream }), counted);
    log.longRun({ kind, destinationId: 'dst_1', accountId: 'acc_1', consecutiveFailures: run });
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

test('a delivery taken over from another worker is counted, and logged without its URL', async () => {
  const stream = new PassThrough();
  const metrics = createMetrics({ service: 'webhook-worker' });
  const counted = createDeliveryMetrics(metrics, new RequestSlots(1));
  const log = createDeliveryLog(createLogger({ service: 'webhook-worker', level: 'warn', stream }), counted);
  log.takenOver({
    ...{ deliveryId: 'dlv_1', accountId: 'acc_1', destinationId: 'dst_1', changeId: 'chg_1', trigger: 'change' },
    ...{ attemptNumber: 2, attemptInRound: 2, destinationKind: 'webhook', url: 'https://receiver.example/secret-path' },
    ...{
      sealedSecret: null,
      standardWebhooks: false,
      sealedHeaders: null,
      body: '{}',
      claimedAtMs: 0,
      claimedUntil: new Date(),
      isTakenOver: true,
      ageMs: 0,
    },
    traceparent: null,
  });
  const [line] = await stream.take(1).toArray();
  expect(JSON.parse(String(line))).toMatchObject({
    level: 'warn',
    event: 'delivery.taken_over',
    deliveryId: 'dlv_1',
    changeId: 'chg_1',
    destinationId: 'dst_1',
    accountId: 'acc_1',
    attempt: 2,
  });
  expect(String(line)).not.toContain('secret-path');
  const metric = metrics.registry.getSingleMetric('artist_watch_webhook_deliveries_taken_over_total');
  expect((await metric?.get())?.values).toMatchObject([{ value: 1 }]);
});
