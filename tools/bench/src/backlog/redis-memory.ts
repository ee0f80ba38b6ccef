import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { BenchOptions } from '../bench.js';
import { clearDeliveries, type DeliveryServers } from '../delivery/delivery-servers.js';
import { requestsOf } from '../delivery/report-and-receive.js';
import type { Figure } from '../reporting/figure.js';
import { fillDeliveries } from './fill-deliveries.js';

const FULL = { deliveries: 1_000_000, drainMs: 20_000 };
const QUICK = { deliveries: 2_000, drainMs: 500 };

const MB = 1_000_000;
const CHECK_EVERY_MS = 250;
/** Redis memory counts as stable once it hasn't grown for this many runs of the release loop. */
const STABLE_AFTER_CHECKS = 12;

export async function measureRedisMemory(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const { deliveries, drainMs } = quick ? QUICK : FULL;
  const { pool, redis, receiver } = servers;
  const empty = await usedBytes(redis);
  const destinations = Math.min(1_000, deliveries);
  await fillDeliveries(pool, { deliveries, destinations, urls: servers.okUrls, queued: 0 });
  let most = empty;
  for (let checks = 0; checks < STABLE_AFTER_CHECKS; checks += 1) {
    await sleep(CHECK_EVERY_MS);
    const used = await usedBytes(redis);
    if (used > most * 1.01) checks = 0;
    most = Math.max(most, used);
  }
  const waiting = most;
  const worker = await servers.startWorker('worker-backlog', {}, true);
  const requestsBefore = await requestsOf(receiver);
  for (const endsAtMs = performance.now() + drainMs; performance.now() < endsAtMs; await sleep(CHECK_EVERY_MS)) {
    most = Math.max(most, await usedBytes(redis));
  }
  const delivered = (await requestsOf(receiver)) - requestsBefore;
  await worker.stop();
  await clearDeliveries(servers);
  say(
    `Redis used_memory: ${(empty / MB).toFixed(1)} MB empty, ${(waiting / MB).toFixed(1)} MB with ${deliveries} pending, ` +
      `at most ${(most / MB).toFixed(1)} MB while ${delivered} of them were delivered`,
  );
  const name = `maximum used_memory of Redis with ${deliveries} pending deliveries, and during their delivery`;
  return [{ name, value: most / MB, unit: 'MB', digits: 1, atMost: 200 }];
}

export async function usedBytes(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}
