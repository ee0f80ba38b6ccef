import { setTimeout as sleep } from 'node:timers/promises';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { type DeliveryQueue, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { DELIVERY_QUEUE } from '@artist-watch/delivery/queue/queue-layout';
import { sweep } from '@artist-watch/delivery/sweep/sweep';
import { useSuite } from '@artist-watch/harness/suite';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

const hourMs = 3_600_000;
let redis: Redis;
let prefix: string;
let queue: DeliveryQueue;
let jobs: Queue;

beforeAll(async () => {
  const { redisUrl, keyPrefix, onEnd } = await useSuite();
  prefix = keyPrefix;
  redis = openCommandConnection(redisUrl);
  await whenReady(redis, 5_000);
  onEnd(() => redis.disconnect());
  queue = openDeliveryQueue(redis, prefix, DELIVERY_QUEUE);
  onEnd(() => queue.close());
  jobs = new Queue(DELIVERY_QUEUE, { connection: redis, prefix });
  onEnd(() => jobs.close());
});

afterEach(async () => {
  jest.restoreAllMocks();
  await redis.del(...(await redis.keys(`${prefix}:*`)), prefix);
});

function due(id: number, delayMs: number) {
  return { deliveryId: `dlv_${id}`, destinationId: 'dst_1', delayMs };
}

/** One sweep over a record that expects these. */
function sweepOver(expected: readonly ReturnType<typeof due>[]) {
  const record = {
    expected: async () => expected.map((delivery) => ({ ...delivery, dueAt: new Date(Date.now() + delivery.delayMs) })),
    stillExpected: async (ids: readonly string[]) => new Set(ids),
    skipUndeliverable: async () => 0,
  };
  return sweep(record, queue, { page: 1_000, lookAheadMs: 20_000 }, new AbortController().signal);
}

async function withWorker(work: (worker: Worker) => Promise<void>): Promise<void> {
  const worker = new Worker(DELIVERY_QUEUE, undefined, { connection: redis, prefix, autorun: false });
  try {
    await work(worker);
  } finally {
    await worker.close();
  }
}

function shiftClock(byMs: number): void {
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

/** When a delayed job wakes, from now on. */
async function wakesInMs(id: number): Promise<number> {
  const job = await jobs.getJob(`dlv_${id}`);
  return (job?.timestamp ?? Number.NaN) + (job?.delay ?? Number.NaN) - Date.now();
}

describe('a sweep', () => {
  test('puts back what the queue has lost, each at its own time', async () => {
    await queue.add([due(1, 0), due(2, 10_000)]);
    const expected = [due(1, 0), due(2, 10_000), due(3, 0), due(4, 10_000)];
    expect(await sweepOver(expected)).toEqual({ found: 2, woken: 0, skipped: 0 });
    expect(await jobs.getJobState('dlv_3')).toBe('waiting');
    expect(await jobs.getJobState('dlv_4')).toBe('delayed');
    expect(await sweepOver(expected)).toEqual({ found: 0, woken: 0, skipped: 0 });
  });

  test('puts back what is there and stands in no list: no worker would ever find it', async () => {
    const deliveries = [due(1, 0), due(2, 0), due(3, 10_000)];
    for (const lost of ['wait', 'delayed']) {
      await queue.add(deliveries);
      await redis.del(jobs.toKey(lost));
      const found = lost === 'wait' ? 2 : 1;
      expect(await sweepOver(deliveries)).toEqual({ found, woken: 0, skipped: 0 });
      expect(await Promise.all([1, 2, 3].map((id) => jobs.getJobState(`dlv_${id}`)))).toEqual([
        'waiting',
        'waiting',
        'delayed',
      ]);
      expect(await sweepOver(deliveries)).toEqual({ found: 0, woken: 0, skipped: 0 });
    }
  });

  test('knows those that yield, of which workers take one only when no other waits', async () => {
    const deliveries = [{ ...due(1, 0), yields: true }, { ...due(2, 0), yields: true }, due(3, 0)];
    await queue.add(deliveries.slice(0, 2));
    shiftClock(10); // Else all three can be added in one millisecond, and none has waited longest.
    await queue.add(deliveries.slice(2));
    expect(await queue.depth()).toMatchObject({ due: 3 });
    expect(await queue.backlog(Date.now())).toMatchObject({ waiting: 3, next: { deliveryId: 'dlv_1' } });
    expect(await sweepOver(deliveries)).toEqual({ found: 0, woken: 0, skipped: 0 });
    await withWorker(async (worker) => {
      const taken = [];
      for (const _ of deliveries) taken.push((await worker.getNextJob('token'))?.id);
      expect(taken).toEqual(['dlv_3', 'dlv_1', 'dlv_2']);
    });
  });

  test('puts back those that yield and stand in no list', async () => {
    const deliveries = [{ ...due(1, 0), yields: true }, due(2, 0)];
    await queue.add(deliveries);
    await redis.del(jobs.toKey('prioritized'));
    expect(await sweepOver(deliveries)).toEqual({ found: 1, woken: 0, skipped: 0 });
    expect(await jobs.getJobState('dlv_1')).toBe('prioritized');
  });

  test('puts back what was given up as failed while the record still expects it', async () => {
    await jobs.add('change.confirmed', { deliveryId: 'dlv_1', destinationId: 'dst_1' }, { jobId: 'dlv_1' });
    await withWorker(async (worker) => {
      const job = await worker.getNextJob('token');
      await job?.moveToFailed(new UnrecoverableError('unreadable'), 'token');
    });
    expect(await jobs.getJobState('dlv_1')).toBe('failed');
    expect(await sweepOver([due(1, 0)])).toEqual({ found: 1, woken: 0, skipped: 0 });
    expect(await jobs.getJobState('dlv_1')).toBe('waiting');
  });

  test('leaves alone what a worker has in hand', async () => {
    await queue.add([due(1, 0)]);
    await withWorker(async (worker) => {
      await worker.getNextJob('token');
      expect(await sweepOver([due(1, 0)])).toEqual({ found: 0, woken: 0, skipped: 0 });
      expect(await jobs.getJobState('dlv_1')).toBe('active');
    });
  });

  test('wakes a job that a process with another clock has put off for an hour', async () => {
    shiftClock(hourMs);
    await jobs.add('change.confirmed', { deliveryId: 'dlv_1', destinationId: 'dst_1' }, { jobId: 'dlv_1', delay: 500 });
    jest.restoreAllMocks();
    expect(await sweepOver([due(1, 500)])).toEqual({ found: 0, woken: 1, skipped: 0 });
    expect(await jobs.getJobState('dlv_1')).toBe('waiting');
  });

  test('wakes a job whose time has come by the clock of Redis: those of all workers may be behind', async () => {
    await queue.add([due(1, 1), due(2, 10_000)]);
    await sleep(1_100);
    expect(await sweepOver([due(1, 0), due(2, 8_900)])).toEqual({ found: 0, woken: 1, skipped: 0 });
    expect(await jobs.getJobState('dlv_1')).toBe('waiting');
    expect(await jobs.getJobState('dlv_2')).toBe('delayed');
  });

  test('lets a job sleep that is due while somebody else has its delivery in hand', async () => {
    await queue.add([due(1, 4_000)]);
    expect(await sweepOver([due(1, 0)])).toEqual({ found: 0, woken: 0, skipped: 0 });
    expect(await jobs.getJobState('dlv_1')).toBe('delayed');
  });

  test('of a process whose clock is wrong puts back what is lost at the right time all the same', async () => {
    for (const byMs of [hourMs, -hourMs]) {
      shiftClock(byMs);
      expect(await sweepOver([due(1, 10_000)])).toMatchObject({ found: 1 });
      jest.restoreAllMocks();
      expect(await wakesInMs(1)).toBeGreaterThan(0);
      expect(await wakesInMs(1)).toBeLessThanOrEqual(10_000);
      await jobs.remove('dlv_1');
    }
  });
});
