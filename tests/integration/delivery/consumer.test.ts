import { createDeliveryConsumer } from '@artist-watch/delivery/consume/delivery-consumer';
import { openCommandConnection, openWorkerConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { DELIVERY_QUEUE } from '@artist-watch/delivery/queue/queue-layout';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { queueOn } from './queue-on.js';

/** BullMQ pauses for 15 s after a command that failed with the connection: none may fail, each must be made again. */
const soonMs = 10_000;

test('every slot takes jobs again soon after a lost connection to Redis', async () => {
  const { redisUrl, keyPrefix: prefix, onEnd } = await useSuite();
  const redis = openCommandConnection(redisUrl);
  onEnd(() => redis.disconnect());
  await whenReady(redis, 5_000);
  const queue = openDeliveryQueue(redis, prefix, DELIVERY_QUEUE);
  onEnd(() => queue.close());
  const add = (...ids: string[]) =>
    queue.add(ids.map((deliveryId) => ({ deliveryId, destinationId: 'dst_1', delayMs: 0 })));

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
    layout: queueOn([way.url], prefix),
    concurrency: 2,
    async handle({ deliveryId }) {
      taken.push(deliveryId);
      await finished;
      return { kind: 'done' };
    },
    onTrouble: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();

  await add('dlv_1', 'dlv_2');
  await until('both slots to be in use', () => taken.length === 2);
  way.cut();
  finish();
  // What the slots have to say of their jobs meets a connection that is gone.
  await until('the connection to be missed', () => other.status !== 'ready');
  await add('dlv_3', 'dlv_4');
  way.restore();
  await until('further jobs to be taken', () => taken.length >= 4, soonMs);
  expect(new Set(taken)).toEqual(new Set(['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4']));
});

test('a job whose data are lost leaves nothing behind that hides its delivery from the sweep', async () => {
  const { redisUrl, keyPrefix, onEnd } = await useSuite();
  const prefix = `${keyPrefix}:evicted`;
  const redis = openCommandConnection(redisUrl);
  onEnd(() => redis.disconnect());
  await whenReady(redis, 5_000);
  const queue = openDeliveryQueue(redis, prefix, DELIVERY_QUEUE);
  onEnd(() => queue.close());
  const delivery = { deliveryId: 'dlv_1', destinationId: 'dst_1', delayMs: 0 };
  await queue.add([delivery]);
  // As a Redis does that evicts keys.
  await redis.del(`${prefix}:${DELIVERY_QUEUE}:dlv_1`);

  const taken: string[] = [];
  const consumer = createDeliveryConsumer({
    layout: queueOn([redisUrl], prefix),
    concurrency: 1,
    async handle({ deliveryId }) {
      taken.push(deliveryId);
      return { kind: 'done' };
    },
    onTrouble: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();
  await queue.add([{ ...delivery, deliveryId: 'dlv_2' }]);
  await until('the one after it to be taken', () => taken.includes('dlv_2'));
  expect((await queue.check([delivery])).missing).toEqual(new Set(['dlv_1']));
  await queue.add([delivery]);
  await until('it to be taken once it is put back', () => taken.includes('dlv_1'));
});

test('the first of many jobs is begun after a few round trips, and not when all have been fetched', async () => {
  const { redisUrl, keyPrefix, onEnd } = await useSuite();
  const prefix = `${keyPrefix}:burst`;
  const redis = openCommandConnection(redisUrl);
  onEnd(() => redis.disconnect());
  await whenReady(redis, 5_000);
  const queue = openDeliveryQueue(redis, prefix, DELIVERY_QUEUE);
  onEnd(() => queue.close());
  const jobs = 240;
  const deliveries = Array.from({ length: jobs }, (_, n) => ({
    deliveryId: `dlv_${n}`,
    destinationId: 'dst_1',
    delayMs: 0,
  }));
  await queue.add(deliveries);

  let isBegun = false;
  let finished = 0;
  const consumer = createDeliveryConsumer({
    layout: queueOn([redisUrl], prefix),
    concurrency: 256,
    async handle() {
      isBegun = true;
      finished += 1;
      return { kind: 'done' };
    },
    onTrouble: () => undefined,
  });
  onEnd(() => consumer.stop());
  consumer.start();
  // Since the first was fetched, by those of another connection, however long they take here.
  let roundTrips = 0;
  while (!isBegun) if ((await queue.depth()).active > 0) roundTrips += 1;
  expect({ roundTrips, areFew: roundTrips < jobs / 2 }).toMatchObject({ areFew: true });
  await until('all to be made', () => finished === jobs);
});
