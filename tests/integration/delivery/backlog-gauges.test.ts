import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { type DeliveryQueue, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { startBacklogGauges } from '@artist-watch/delivery/release-loops';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { createMetrics } from '@artist-watch/observability/metrics';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import { seedWaiting } from './delivery-rows.js';

const MINUTE_MS = 60_000;

let pool: pg.Pool;
let redis: Redis;
let queue: DeliveryQueue;
beforeAll(async () => {
  const suite = await useSuite();
  pool = suite.pool;
  redis = openCommandConnection(suite.redisUrl);
  await whenReady(redis, 5_000);
  queue = openDeliveryQueue({ redisUrl: suite.redisUrl, prefix: suite.keyPrefix });
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

function look(onError: (error: unknown) => void = () => undefined) {
  gauges = startBacklogGauges(pool, queue, metrics, { signal: stopping.signal, onError });
}

/** Undefined if the series does not exist. */
async function value(series: string): Promise<number | undefined> {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(series));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

const RELEASED = "relay_at = NULL, next_attempt_at = now() - interval '1 minute'";

async function setDeliveries(ids: readonly string[], set: string): Promise<void> {
  await pool.query(`UPDATE deliveries SET ${set} WHERE id = ANY($1)`, [ids]);
}

function due(deliveryId: string) {
  return { deliveryId, attemptNumber: 1, roundStart: 0 };
}

test('waiting, overdue and future jobs are counted separately', async () => {
  await queue.addEach(['dlv_1', 'dlv_2', 'dlv_3'].map(due));
  await queue.addLater(due('dlv_4'), { delayMs: 1, isRetry: true });
  await queue.addLater(due('dlv_5'), { delayMs: 6 * 60 * MINUTE_MS, isRetry: true });
  await until('a millisecond to pass', async () => (await queue.overdue(Date.now())) === 1);
  look();
  expect(await until('waiting', () => value('artist_watch_delivery_queue_jobs{state="waiting"'))).toBe(3);
  expect(await value('artist_watch_delivery_queue_jobs{state="overdue"')).toBe(1);
  expect(await value('artist_watch_delivery_queue_jobs{state="delayed"')).toBe(1);
  expect(await value('artist_watch_delivery_queue_jobs{state="active"')).toBe(0);
});

test('waiting deliveries are counted, except those of paused destinations', async () => {
  await seedWaiting(pool, 3);
  const paused = await seedWaiting(pool, 2);
  await pool.query(`UPDATE destinations SET pace_ms = 1000, paced_until = now() + interval '1 hour' WHERE id = $1`, [
    paused.destinationId,
  ]);
  look();
  expect(await until('waiting', () => value('artist_watch_delivery_database_due'))).toBe(3);
});

test('the age of the oldest waiting delivery excludes destinations that are paused or have a full window', async () => {
  const age = async () => {
    metrics = createMetrics({ service: 'change-ingest' });
    stopping = new AbortController();
    look();
    const seconds = await until('an age', async () => {
      const read = await value('artist_watch_delivery_oldest_due_seconds{place="record"');
      return read === undefined ? undefined : { read };
    });
    stopping.abort();
    await gauges?.done;
    return seconds.read;
  };
  const { ids, destinationId } = await seedWaiting(pool, 3);
  await setDeliveries(ids.slice(0, 1), `relay_at = now() - interval '90 seconds'`);
  expect(await age()).toBeGreaterThanOrEqual(90);
  await pool.query('UPDATE destinations SET in_flight = 2 WHERE id = $1', [destinationId]);
  expect(await age()).toBe(0);
  await pool.query('UPDATE destinations SET in_flight = 0, pace_ms = 1000, paced_until = now() WHERE id = $1', [
    destinationId,
  ]);
  expect(await age()).toBe(0);
});

test('the age of a released delivery counts from its due time until a worker claims it', async () => {
  const { ids } = await seedWaiting(pool, 3);
  const [claimed = '', retry = '', first = ''] = ids;
  await setDeliveries([claimed], `relay_at = NULL, next_attempt_at = now() - interval '10 minutes'`);
  await setDeliveries([claimed], `claimed_until = now() + interval '1 minute'`);
  await setDeliveries([retry], `relay_at = NULL, attempt_count = 1, next_attempt_at = now() + interval '1 minute'`);
  await setDeliveries([first], RELEASED);
  look();
  const age = await until('an age', () => value('artist_watch_delivery_oldest_due_seconds{place="queue"'));
  expect(age).toBeGreaterThanOrEqual(60);
  expect(age).toBeLessThan(600);
});

test('an empty backlog has no age', async () => {
  look();
  expect(
    await until(
      'a read of the gauges',
      async () => (await value('artist_watch_delivery_oldest_due_seconds{place="queue"')) === 0,
    ),
  ).toBe(true);
  expect(await value('artist_watch_delivery_oldest_due_seconds{place="record"')).toBe(0);
});

test('while the queue cannot be read, the metrics have no series, so that no outdated value appears', async () => {
  look();
  await until('a read of the gauges', async () => (await value('artist_watch_delivery_database_due')) === 0);
  stopping.abort();
  await gauges?.done;

  stopping = new AbortController();
  const lost = openDeliveryQueue({ redisUrl: 'redis://127.0.0.1:1', prefix: 'nobody' });
  try {
    const error = await new Promise((resolve) => {
      const fresh = createMetrics({ service: 'change-ingest' });
      metrics = fresh;
      gauges = startBacklogGauges(pool, lost, metrics, { signal: stopping.signal, onError: resolve });
    });
    expect(error).toBeInstanceOf(Error);
    expect(await value('artist_watch_delivery_database_due{')).toBeUndefined();
    expect(await value('artist_watch_delivery_queue_jobs{')).toBeUndefined();
  } finally {
    await lost.close();
  }
});
