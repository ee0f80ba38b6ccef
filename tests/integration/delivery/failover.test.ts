import { type Receiver, startReceiver } from '@artist-watch/harness/receiver';
import { type RedisServers, startRedisServers } from '@artist-watch/harness/redis-servers';
import { type Relay, startRelay } from '@artist-watch/harness/relay';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { type DeliveryStack, type StartedWorker, startDeliveryStack } from './delivery-stack.js';

let proxy: ScriptedProxy;
let receiver: Receiver;
let redis: RedisServers;
/** The relay replaces the primary's DNS name. */
let way: Relay;
let stack: DeliveryStack;

beforeAll(async () => {
  [proxy, receiver, redis] = await Promise.all([startScriptedProxy(), startReceiver(), startRedisServers(2)]);
  way = await startRelay(redis.urls[0] ?? '');
  stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
  await stack.moveQueue(way.url);
});
afterAll(async () => {
  await stack.stopLoops();
  await Promise.all([proxy.close(), receiver.close(), way.close()]);
  await redis.stop();
});

async function succeeded(): Promise<number> {
  const { rows } = await stack.pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM deliveries WHERE state = 'succeeded'",
  );
  return rows[0]?.count ?? 0;
}

async function isReady(worker: StartedWorker): Promise<boolean> {
  return (await fetch(`${worker.opsUrl}/readyz`)).ok;
}

/** Operators take a primary out of service like this, and both servers keep running. */
async function demote(url: string, primaryUrl: string): Promise<void> {
  const client = new Redis(url);
  try {
    await client.replicaof('127.0.0.1', Number(new URL(primaryUrl).port));
  } finally {
    client.disconnect();
  }
}

test('after a failover that keeps the old primary as a replica, the worker finds the new primary without a restart', async () => {
  const [first = '', second = ''] = redis.urls;
  const seeded = await stack.destination({ url: receiver.url });
  const worker = await stack.startWorker();
  await stack.confirmChanges(seeded, 10);
  await until('the first webhooks to arrive', async () => (await succeeded()) === 10);
  expect(await isReady(worker)).toBe(true);

  await demote(first, second);
  await stack.confirmChanges(seeded, 10);
  // New connections still reach the replica, because the name has not changed yet.
  await until('the worker to report that it is not ready', async () => !(await isReady(worker)), 30_000);
  way.leadTo(second);
  await until('the other webhooks to arrive', async () => (await succeeded()) === 20, 60_000);
  await until('the worker to report that it is ready', () => isReady(worker), 30_000);
  expect(receiver.requests).toHaveLength(20);
  await worker.stop();
});

test('if a Redis disappears silently, the worker connects to the new server with the same name', async () => {
  const before = receiver.requests.length;
  const seeded = await stack.destination({ url: receiver.url });
  const worker = await stack.startWorker();
  await stack.confirmChanges(seeded, 5);
  await until('the first webhooks to arrive', async () => receiver.requests.length === before + 5);

  way.strand();
  await stack.confirmChanges(seeded, 5);
  await until('the other webhooks to arrive', async () => receiver.requests.length === before + 10, 90_000);
  await worker.stop();
});
