import { openCommandConnection, openWorkerConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import {
  createDeliveryConsumer,
  FORMER_DELIVERY_QUEUE,
  openDeliveryQueue,
} from '@artist-watch/delivery/queue/delivery-queue';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { Queue } from 'bullmq';

/** BullMQ would pause for 15 s after a command that failed with the connection. */
const soonMs = 10_000;

function due(id: number) {
  return { deliveryId: `dlv_${id}`, attemptNumber: 1, roundStart: 0 };
}

async function openQueue(name: string) {
  const { redisUrl, keyPrefix, onEnd } = await useSuite();
  const prefix = `${keyPrefix}:${name}`;
  const queue = openDeliveryQueue({ redisUrl, prefix });
  onEnd(() => queue.close());
  await queue.whenReady(5_000);
  const redis = openCommandConnection(redisUrl);
  onEnd(() => redis.disconnect());
  await whenReady(redis, 5_000);
  return { queue, redis, prefix, redisUrl, onEnd };
}

test('after a lost connection to Redis, every slot soon processes jobs again', async () => {
  const { queue, prefix, redisUrl, onEnd } = await openQueue('lost');
  const way = await startRelay(redisUrl);
  onEnd(() => way.close());
  const other = openWorkerConnection(way.url);
  onEnd(() => other.disconnect());
  await whenReady(other, 5_000);
  const taken: string[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const consumer = createDeliveryConsumer({
    ...{ redisUrl: way.url, prefix, concurrency: 2 },
    async handle(deliveryIds) {
      taken.push(...deliveryIds);
      await finished;
    },
    onError: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();

  await queue.addEach([due(1), due(2)]);
  await until('both slots to be in use', () => taken.length === 2);
  way.cut();
  finish();
  // The connection is closed when the slots report that their jobs are done.
  await until('the lost connection to be detected', () => other.status !== 'ready');
  await queue.addEach([due(3), due(4)]);
  way.restore();
  await until('further jobs to be processed', () => taken.length >= 4, soonMs);
  expect(new Set(taken)).toEqual(new Set(['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4']));
});

test('a delivery starts when its job is taken, without another response from Redis', async () => {
  const { queue, prefix, redisUrl, onEnd } = await openQueue('taken');
  const relay = await startRelay(redisUrl, () => ({
    fromClient: () => undefined,
    fromServer(bytes) {
      if (bytes.includes('dlv_1')) relay.freeze();
    },
  }));
  onEnd(() => relay.close());
  const taken: string[] = [];
  const consumer = createDeliveryConsumer({
    ...{ redisUrl: relay.url, prefix, concurrency: 2 },
    handle: async (deliveryIds) => void taken.push(...deliveryIds),
    onError: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();

  await queue.add([due(1)]);
  await until('the delivery to start', () => taken.length > 0, soonMs);
  relay.restore();
  await until('the job to be completed', async () => {
    const { due: waiting, active } = await queue.depth();
    return waiting + active === 0;
  });
  expect(taken).toEqual(['dlv_1']);
});

test('a job whose data is lost does not block the next jobs, and its delivery can be queued again', async () => {
  const { queue, redis, prefix, redisUrl, onEnd } = await openQueue('evicted');
  await queue.addEach([due(1)]);
  // A Redis that evicts keys would delete the job's data.
  const [job] = await queue.queue.getWaiting();
  await redis.del(queue.queue.toKey(job?.id ?? ''));

  const taken: string[] = [];
  const consumer = createDeliveryConsumer({
    ...{ redisUrl, prefix, concurrency: 1 },
    async handle(deliveryIds) {
      taken.push(...deliveryIds);
    },
    onError: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();
  await queue.addEach([due(2)]);
  await until('the next job to be processed', () => taken.includes('dlv_2'));
  await queue.addEach([due(1)]);
  await until('the job to be processed after it is added again', () => taken.includes('dlv_1'));
});

test("a job with another program's data is removed, and the next jobs are processed", async () => {
  const { queue, redis, prefix, redisUrl, onEnd } = await openQueue('foreign');
  const foreign: Queue = new Queue(queue.queue.name, { connection: redis, prefix });
  onEnd(() => foreign.close());
  await foreign.add('foreign', { deliveryIds: ['chg_1'] }, { attempts: 5 });
  await queue.addEach([due(1)]);
  const taken: string[] = [];
  const consumer = createDeliveryConsumer({
    ...{ redisUrl, prefix, concurrency: 1 },
    async handle(deliveryIds) {
      taken.push(...deliveryIds);
    },
    onError: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();
  await until('the other job to be processed', () => taken.length === 1);
  await until('all jobs to be removed', async () => {
    const { due, active, delayed } = await queue.depth();
    return due + active + delayed === 0;
  });
  expect(taken).toEqual(['dlv_1']);
});

test('jobs of the former queue are processed too, and delayed ones at their times', async () => {
  const { redis, prefix, redisUrl, onEnd } = await openQueue('former');
  const former = new Queue(FORMER_DELIVERY_QUEUE, { connection: redis, prefix });
  onEnd(() => former.close());
  const data = (id: number) => ({ deliveryId: `dlv_${id}`, destinationId: 'dst_1' });
  await former.add('change.confirmed', data(1), { jobId: 'dlv_1' });
  const delay = 300;
  const dueMs = Date.now() + delay;
  await former.add('change.confirmed', data(2), { jobId: 'dlv_2', delay });
  await former.add('change.confirmed', data(3), { jobId: 'dlv_3', priority: 1 });
  const takenMs = new Map<string, number>();
  const consumer = createDeliveryConsumer({
    redisUrl,
    prefix,
    concurrency: 4,
    async handle(deliveryIds) {
      for (const id of deliveryIds) takenMs.set(id, Date.now());
    },
    onError: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();
  await until('all jobs to be processed', () => takenMs.size === 3);
  expect([...takenMs.keys()].sort()).toEqual(['dlv_1', 'dlv_2', 'dlv_3']);
  expect(takenMs.get('dlv_2')).toBeGreaterThanOrEqual(dueMs);
  expect(await former.count()).toBe(0);
});
