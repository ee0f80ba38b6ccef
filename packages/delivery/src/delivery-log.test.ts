import { PassThrough } from 'node:stream';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import { createDeliveryLog } from './delivery-log.js';
import { createDeliveryMetrics } from './delivery-metrics.js';

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
