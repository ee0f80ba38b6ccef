import { shardOf } from '@artist-watch/domain/delivery/queue-shard';
import { type Receiver, startReceiver } from '@artist-watch/harness/receiver';
import { type RedisServers, startRedisServers } from '@artist-watch/harness/redis-servers';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { type DeliveryStack, startDeliveryStack } from './delivery-stack.js';

let proxy: ScriptedProxy;
let receiver: Receiver;
let redis: RedisServers;
let cluster: RedisServers;
let stack: DeliveryStack;
let workers: { stop(): Promise<void> }[] = [];

const clusterUrl = () =>
  `redis+cluster://127.0.0.1:${cluster.servers[0]?.port}?node=127.0.0.1:${cluster.servers[1]?.port}`;

beforeAll(async () => {
  proxy = await startScriptedProxy();
  [redis, cluster] = await Promise.all([startRedisServers(2), startRedisServers(3, { inCluster: true })]);
  stack = await startDeliveryStack({ proxyUrls: [proxy.url], queue: { redisUrls: redis.urls, shards: 2 } });
});
afterAll(async () => {
  await stack.stopLoops();
  await proxy.close();
  await Promise.all([redis.stop(), cluster.stop()]);
});

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  await receiver.close();
  await stack.pool.query('DELETE FROM deliveries');
});

async function startWorker(settings: Record<string, string> = {}) {
  workers.push(await stack.startWorker(settings));
}

/** Destinations of the receiver, by the shard that they fall into: `each` of them in each. */
async function destinationsInShards(shards: number, each: number) {
  const found = Array.from({ length: shards }, () => [] as Awaited<ReturnType<DeliveryStack['destination']>>[]);
  while (found.some((destinations) => destinations.length < each)) {
    const seeded = await stack.destination({ url: receiver.url });
    found[shardOf(seeded.destinationId, shards)]?.push(seeded);
  }
  return found.map((destinations) => destinations.slice(0, each));
}

async function confirm(destinations: readonly Awaited<ReturnType<DeliveryStack['destination']>>[], changes: number) {
  for (const destination of destinations) await stack.confirmChanges(destination, changes);
}

async function count(condition: string): Promise<number> {
  const { rows } = await stack.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries WHERE ${condition}`,
  );
  return rows[0]?.count ?? 0;
}

/** How often each delivery arrived. */
function arrivals(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { headers } of receiver.requests) {
    const id = headers['x-service-delivery'] ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

async function allArriveOnce(deliveries: number) {
  await until('all to be settled', async () => (await count("state = 'succeeded'")) === deliveries, 60_000);
  expect(arrivals().size).toBe(deliveries);
  expect(new Set(arrivals().values())).toEqual(new Set([1]));
}

/** What the record calls queued is still on its way there until the relay has spoken to Redis. */
async function allAreQueued(servers: RedisServers, deliveries: number) {
  const jobs = async () => (await jobsOnEach(servers)).reduce((sum, each) => sum + each);
  await until('all to be queued', async () => (await jobs()) === deliveries);
}

/** How many deliveries have a job on each server. A queue that moved away leaves jobs behind: those do not count. */
async function jobsOnEach(servers: RedisServers): Promise<number[]> {
  const { rows } = await stack.pool.query<{ id: string }>('SELECT id FROM deliveries');
  const present = new Set(rows.map(({ id }) => id));
  return Promise.all(
    servers.urls.map(async (url) => (await jobsOn(url)).filter((deliveryId) => present.has(deliveryId)).length),
  );
}

async function jobsOn(url: string): Promise<string[]> {
  const client = new Redis(url);
  try {
    return (await client.keys('*:dlv_*')).map((key) => key.slice(key.lastIndexOf(':') + 1));
  } finally {
    client.disconnect();
  }
}

describe('a queue on two Redises', () => {
  beforeEach(() => stack.moveQueue({ redisUrls: redis.urls, shards: 2 }));

  test('has the deliveries of each destination on one of them, and every one arrives once', async () => {
    const [first, second] = await destinationsInShards(2, 2);
    await confirm([...(first ?? []), ...(second ?? [])], 10);
    await allAreQueued(redis, 40);
    expect(await jobsOnEach(redis)).toEqual([20, 20]);
    await startWorker();
    await allArriveOnce(40);
  });

  test('one that is killed holds up nobody else, and comes back empty without a loss', async () => {
    const [one] = redis.servers;
    if (!one) throw new Error('There is no server.');
    const [lost, kept] = await destinationsInShards(2, 2);
    await confirm(lost ?? [], 10);
    await allAreQueued(redis, 20);
    redis.kill(one);

    await startWorker();
    await confirm(kept ?? [], 10);
    await until('those of the other to arrive', async () => (await count("state = 'succeeded'")) === 20);
    expect(receiver.requests).toHaveLength(20);
    // And what is confirmed for the lost one meanwhile waits in the record.
    await confirm(lost ?? [], 5);
    await confirm(kept ?? [], 5);
    await until('those of the other to arrive', async () => (await count("state = 'succeeded'")) === 30);
    expect(await count('relay_at IS NOT NULL')).toBe(10);

    await one.restart();
    await allArriveOnce(60);
  });

  test('a worker that has to stop while one of them is gone waits for nothing but its requests', async () => {
    const [one] = redis.servers;
    if (!one) throw new Error('There is no server.');
    receiver.answerWith({ delayMs: 500 });
    const [lost] = await destinationsInShards(2, 1);
    await startWorker();
    await confirm(lost ?? [], 1);
    await receiver.waitFor(1);
    redis.kill(one);
    await workers[0]?.stop();
    expect(await count("state = 'succeeded'")).toBe(1);
    await one.restart();
  });
});

describe('a change of shards with work waiting', () => {
  test.each([
    ['more of them', 1, 4],
    ['fewer of them', 4, 1],
    ['as many elsewhere', 2, 2],
  ])('%s: nothing is lost, and nothing arrives twice', async (_name, before, after) => {
    const [one, two] = redis.urls as [string, string];
    await stack.moveQueue({ redisUrls: [one], shards: before });
    const destinations = (await destinationsInShards(4, 1)).flat();
    await confirm(destinations, 10);
    await allAreQueued(redis, 40);

    await stack.moveQueue({ redisUrls: [before === after ? two : one], shards: after });
    await startWorker();
    await startWorker();
    await allArriveOnce(40);
  });
});

describe('the slots of a worker', () => {
  test('are as many as WEBHOOK_CONCURRENCY however many shards there are, and a busy shard leaves the others theirs', async () => {
    await stack.moveQueue({ redisUrls: redis.urls, shards: 4 });
    let inFlight = 0;
    let most = 0;
    receiver.answerWith(async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inFlight -= 1;
      return { status: 204 };
    });
    const [busy, ...others] = await destinationsInShards(4, 4);
    await confirm(busy ?? [], 100);
    await startWorker({ WEBHOOK_CONCURRENCY: '16' });
    await receiver.waitFor(20);
    await confirm(others.flat(), 1);
    const ids = others.flat().map(({ destinationId }) => `'${destinationId}'`);
    await until(
      'those of the others to be delivered',
      async () => (await count(`state = 'succeeded' AND destination_id IN (${ids})`)) === ids.length,
    );
    expect(await count("state = 'pending'")).toBeGreaterThan(0);
    await allArriveOnce(400 + ids.length);
    expect(most).toBeLessThanOrEqual(16);
  });
});

describe('a queue on a Redis Cluster', () => {
  test.each([1, 8])('of %i shards carries every delivery to its receiver once', async (shards) => {
    await stack.moveQueue({ redisUrls: [clusterUrl()], shards });
    const destinations = (await destinationsInShards(8, 2)).flat();
    await confirm(destinations, 5);
    await allAreQueued(cluster, 80);
    const jobs = await jobsOnEach(cluster);
    if (shards > 1) expect(jobs.filter((each) => each > 0).length).toBeGreaterThan(1);

    receiver.answerWith((_request, index) => ({ status: index % 4 === 0 ? 500 : 204 }));
    await startWorker({ WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms,100ms,100ms' });
    await startWorker({ WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms,100ms,100ms' });
    await until('all to be settled', async () => (await count("state = 'succeeded'")) === 80, 60_000);
    expect(arrivals().size).toBe(80);
    const { rows } = await stack.pool.query('SELECT id, attempt_count FROM deliveries');
    for (const { id, attempt_count } of rows) expect(arrivals().get(id)).toBe(attempt_count);
  });
});
