import { MAX_DELIVERIES_OF_JOB } from '@artist-watch/contracts/jobs';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { type DeliveryQueue, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { useSuite } from '@artist-watch/harness/suite';
import { afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

const hourMs = 3_600_000;
let queue: DeliveryQueue;
let jobs: DeliveryQueue['queue'];
let prefix: string;
let redisUrl: string;
let redis: Redis;

beforeAll(async () => {
  const suite = await useSuite();
  redisUrl = suite.redisUrl;
  prefix = suite.keyPrefix;
  queue = openDeliveryQueue({ redisUrl, prefix });
  suite.onEnd(() => queue.close());
  await queue.whenReady(5_000);
  jobs = queue.queue;
  redis = openCommandConnection(redisUrl);
  suite.onEnd(() => redis.disconnect());
  await whenReady(redis, 5_000);
});

beforeEach(() => redis.flushdb());
afterEach(() => {
  jest.restoreAllMocks();
});

function due(id: number, { attemptNumber = 1, roundStart = 0 } = {}) {
  return { deliveryId: `dlv_${id}`, attemptNumber, roundStart };
}

function shiftClock(byMs: number): void {
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

async function withWorker(work: (worker: Worker) => Promise<void>): Promise<void> {
  const worker = new Worker(jobs.name, undefined, { connection: redis, prefix, autorun: false });
  try {
    await work(worker);
  } finally {
    await worker.close();
  }
}

test('deliveries that are released together are put into jobs of at most 32, each delivery once', async () => {
  const released = Array.from({ length: 2 * MAX_DELIVERIES_OF_JOB + 3 }, (_, index) => due(index));
  await queue.add(released);
  const waiting = await jobs.getWaiting();
  const sizes = waiting.map(({ data }) => data.deliveryIds.length).sort((a, b) => b - a);
  expect(sizes).toEqual([MAX_DELIVERIES_OF_JOB, MAX_DELIVERIES_OF_JOB, 3]);
  expect(waiting.flatMap(({ data }) => data.deliveryIds).sort()).toEqual(
    released.map(({ deliveryId }) => deliveryId).sort(),
  );
});

test('releasing no deliveries does not add a job', async () => {
  await queue.add([]);
  await queue.addEach([]);
  expect(await queue.depth()).toEqual({ due: 0, delayed: 0, active: 0 });
});

test('a delivery with a waiting, delayed or active job is not added a second time', async () => {
  await queue.add([due(1)]);
  await withWorker(async (worker) => {
    await worker.getNextJob('token');
    await queue.add([due(2)]);
    await queue.addLater(due(3), { delayMs: 10_000, isRetry: true });
    await queue.addEach([due(1), due(2), due(3), due(4)]);
    expect(await queue.depth()).toEqual({ due: 2, delayed: 1, active: 1 });
  });
});

test('an attempt of a later round gets a separate job, because a delayed job of an earlier round may still exist', async () => {
  await queue.addLater(due(1, { attemptNumber: 3 }), { delayMs: hourMs, isRetry: true });
  await queue.addEach([due(1, { attemptNumber: 3, roundStart: 2 })]);
  expect(await queue.depth()).toEqual({ due: 1, delayed: 1, active: 0 });
});

test('a failed job leaves nothing behind, so its delivery can be queued again', async () => {
  await queue.addEach([due(1)]);
  await withWorker(async (worker) => {
    const job = await worker.getNextJob('token');
    await job?.moveToFailed(new UnrecoverableError('unreadable'), 'token');
  });
  await queue.addEach([due(1)]);
  expect((await queue.depth()).due).toBe(1);
});

test('a delivery that was given back is queued even if the job that processed it has the id of its retry', async () => {
  await queue.addLater(due(1, { attemptNumber: 2 }), { delayMs: 1, isRetry: true });
  await queue.addLater(due(1, { attemptNumber: 2 }), { delayMs: 10_000, isRetry: false });
  expect((await queue.depth()).delayed).toBe(2);
});

test('a retry from a process with a wrong clock is scheduled by the clock of Redis', async () => {
  for (const byMs of [hourMs, -hourMs]) {
    shiftClock(byMs);
    await queue.addLater(due(1), { delayMs: 10_000, isRetry: true });
    jest.restoreAllMocks();
    const [job] = await jobs.getDelayed();
    const wakesInMs = (job?.timestamp ?? Number.NaN) + (job?.delay ?? Number.NaN) - Date.now();
    expect(wakesInMs).toBeGreaterThan(0);
    expect(wakesInMs).toBeLessThanOrEqual(10_000);
    await job?.remove();
  }
});

test('delayed jobs that are due are counted as overdue', async () => {
  await queue.addLater(due(1), { delayMs: 1_000, isRetry: true });
  await queue.addLater(due(2), { delayMs: hourMs, isRetry: true });
  expect(await queue.overdue(Date.now())).toBe(0);
  expect(await queue.overdue(Date.now() + 2_000)).toBe(1);
  expect(await queue.overdue(Date.now() + 2 * hourMs)).toBe(2);
});

test('a queue without a connection to Redis reports it immediately', async () => {
  const lost = openDeliveryQueue({ redisUrl: 'redis://127.0.0.1:1', prefix });
  try {
    await expect(lost.add([due(1)])).rejects.toThrow('No connection to Redis.');
    await expect(lost.ping()).rejects.toThrow('No connection to Redis.');
  } finally {
    await lost.close();
  }
});
