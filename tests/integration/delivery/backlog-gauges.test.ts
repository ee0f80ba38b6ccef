import { startBacklogGauges } from '@artist-watch/delivery/queue/backlog-gauges';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import {
  openShardedDeliveryQueue,
  type ShardedDeliveryQueue,
} from '@artist-watch/delivery/queue/sharded-delivery-queue';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { createMetrics } from '@artist-watch/observability/metrics';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import { queueOn } from './queue-on.js';

const MINUTE_MS = 60_000;

let pool: pg.Pool;
let redis: Redis;
let queue: ShardedDeliveryQueue;
beforeAll(async () => {
  const suite = await useSuite();
  pool = suite.pool;
  redis = openCommandConnection(suite.redisUrl);
  await whenReady(redis, 5_000);
  queue = openShardedDeliveryQueue(queueOn([suite.redisUrl], suite.keyPrefix));
  await queue.whenReady(5_000);
  suite.onEnd(async () => {
    await queue.close();
    redis.disconnect();
  });
});

let metrics: ReturnType<typeof createMetrics>;
let stopping: AbortController;
let gauges: { readonly done: Promise<void> } | undefined;
beforeEach(async () => {
  await redis.flushdb();
  await pool.query('DELETE FROM deliveries');
  metrics = createMetrics({ service: 'change-ingest' });
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await gauges?.done;
});

/** Looks at once, at that time. */
function look(nowMs = Date.now(), onError: (error: unknown) => void = () => undefined) {
  gauges = startBacklogGauges({ pool, queue, metrics, signal: stopping.signal, nowMs: () => nowMs, onError });
}

/** The value of a series; undefined when there is none. */
async function value(series: string): Promise<number | undefined> {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(series));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

async function pendingDeliveries(count: number): Promise<{ id: string; destination_id: string }[]> {
  const { artistId } = await seedDestination(pool);
  const changes = await seedConfirmedChanges(pool, artistId, count);
  await inTransaction(pool, (client) => fanOutChanges(client, changes, new Date()));
  const { rows } = await pool.query('SELECT id, destination_id FROM deliveries ORDER BY id');
  return rows;
}

async function enqueue(deliveries: readonly { id: string; destination_id: string }[], delayMs = 0) {
  await queue.add(
    deliveries.map(({ id, destination_id }) => ({ deliveryId: id, destinationId: destination_id, delayMs })),
  );
  await pool.query('UPDATE deliveries SET relay_at = NULL WHERE id = ANY($1)', [deliveries.map(({ id }) => id)]);
}

test('what waits, what is overdue and what is hours away are counted apart', async () => {
  const deliveries = await pendingDeliveries(6);
  await enqueue(deliveries.slice(0, 3));
  await enqueue(deliveries.slice(3, 5), MINUTE_MS);
  await enqueue(deliveries.slice(5), 6 * 60 * MINUTE_MS);
  look(Date.now() + 2 * MINUTE_MS);
  expect(await until('waiting', () => value('delivery_queue_jobs{state="waiting"'))).toBe(3);
  expect(await value('delivery_queue_jobs{state="overdue"')).toBe(2);
  expect(await value('delivery_queue_jobs{state="delayed"')).toBe(1);
  expect(await value('delivery_queue_jobs{state="active"')).toBe(0);
});

test('what waits in the record is counted once it is due, with the age of the oldest', async () => {
  const deliveries = await pendingDeliveries(3);
  await pool.query("UPDATE deliveries SET relay_at = now() - interval '90 seconds' WHERE id = $1", [deliveries[0]?.id]);
  await pool.query("UPDATE deliveries SET relay_at = now() + interval '1 hour' WHERE id = $1", [deliveries[1]?.id]);
  look();
  expect(await until('due', () => value('delivery_record_due'))).toBe(2);
  expect(await value('delivery_oldest_due_seconds{place="record"')).toBeGreaterThanOrEqual(90);
});

test('a job that nobody takes ages from when it was due', async () => {
  const deliveries = await pendingDeliveries(1);
  await enqueue(deliveries);
  look(Date.now() + 5 * MINUTE_MS);
  const age = await until('an age', () => value('delivery_oldest_due_seconds{place="queue"'));
  expect(age).toBeGreaterThan(295);
  expect(age).toBeLessThan(305 + 60);
});

test('a retry that is due and that no worker promotes ages from its own time, not from its first attempt', async () => {
  const deliveries = await pendingDeliveries(1);
  await enqueue(deliveries, 60 * MINUTE_MS);
  look(Date.now() + 62 * MINUTE_MS);
  const age = await until('an age', () => value('delivery_oldest_due_seconds{place="queue"'));
  expect(age).toBeGreaterThan(115);
  expect(age).toBeLessThan(125);
});

test('an empty backlog has no age', async () => {
  look();
  expect(await until('a look', async () => (await value('delivery_oldest_due_seconds{place="queue"')) === 0)).toBe(
    true,
  );
  expect(await value('delivery_oldest_due_seconds{place="record"')).toBe(0);
});

test('the series end while the queue cannot be asked, so that no old value stands for the present', async () => {
  look();
  await until('a look', async () => (await value('delivery_record_due')) === 0);
  stopping.abort();
  await gauges?.done;

  stopping = new AbortController();
  const lost = openShardedDeliveryQueue(queueOn(['redis://127.0.0.1:1'], 'nobody'));
  try {
    const error = await new Promise((resolve) => {
      const fresh = createMetrics({ service: 'change-ingest' });
      metrics = fresh;
      gauges = startBacklogGauges({
        ...{ pool, queue: lost, metrics, signal: stopping.signal },
        nowMs: () => Date.now(),
        onError: resolve,
      });
    });
    expect(error).toBeInstanceOf(Error);
    expect(await value('delivery_record_due{')).toBeUndefined();
    expect(await value('delivery_queue_jobs{')).toBeUndefined();
  } finally {
    await lost.close();
  }
});
