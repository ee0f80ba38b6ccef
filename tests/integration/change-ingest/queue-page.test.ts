import { compose } from '@artist-watch/change-ingest/compose';
import { readConfig } from '@artist-watch/change-ingest/config';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { DELIVERY_QUEUE, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { useSuite } from '@artist-watch/harness/suite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

const secret = 'whsec_that-nobody-may-see';

let redis: Redis;
let keyPrefix: string;

beforeAll(async () => {
  const suite = await useSuite();
  keyPrefix = suite.keyPrefix;
  redis = openCommandConnection(suite.redisUrl);
  await whenReady(redis, 5_000);
  suite.onEnd(() => redis.disconnect());
  const queue = openDeliveryQueue({ redisUrl: suite.redisUrl, prefix: keyPrefix });
  suite.onEnd(() => queue.close());
  await queue.whenReady(5_000);
  const later = { delayMs: 3_600_000, isRetry: true };
  await queue.addLater({ deliveryId: 'dlv_1', attemptNumber: 2, roundStart: 0 }, later);
  // Another program's job has every field that a job can have.
  const foreign: Queue = new Queue(DELIVERY_QUEUE, { connection: redis, prefix: keyPrefix });
  suite.onEnd(() => foreign.close());
  const job = await foreign.add(secret, { body: secret, deliveryId: secret }, { delay: 3_600_000, jobId: 'foreign' });
  await job.log(secret);
  const scheduler = ['scheduler', { every: 3_600_000 }, { name: secret, data: { secret } }] as const;
  await foreign.upsertJobScheduler(...scheduler);
  await job.updateProgress({ secret });
  await redis.hset(`${keyPrefix}:${DELIVERY_QUEUE}:foreign`, {
    failedReason: secret,
    returnvalue: JSON.stringify(secret),
    stacktrace: JSON.stringify([secret]),
  });
});

async function startIngest(settings: Record<string, string> = {}): Promise<string> {
  const { databaseUrl, redisUrl, onEnd } = await useSuite();
  const service = await compose(
    readConfig({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: keyPrefix,
      INGEST_TOKEN: 'the-token-of-ingest-in-these-tests',
      INGEST_PORT: '0',
      OPS_PORT: '0',
      LISTEN_HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      PLATFORM_URL: 'http://127.0.0.1:1',
      ...settings,
    }),
    new AbortController().signal,
  );
  onEnd(() => service.stop(new AbortController().signal));
  return `http://127.0.0.1:${service.addresses.ops}`;
}

/** An unread body would keep its socket open. */
async function get(url: string | URL): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test('the queue page is off by default', async () => {
  const ops = await startIngest();
  expect((await get(`${ops}/queues`)).status).toBe(404);
});

describe('the page', () => {
  let ops: string;
  beforeAll(async () => {
    ops = await startIngest({ QUEUE_PAGE: 'true' });
  });

  test('the queue page loads all its parts from the operations port and refers to no other host', async () => {
    const { status, headers, text: html } = await get(`${ops}/queues`);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(html.match(/https?:\/\/[^"' ]+/g)).toBeNull();
    const parts = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|png|svg|ico))"/g)].map(([, part]) => part ?? '');
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect({ part, status: (await get(new URL(part, `${ops}/queues/`))).status }).toEqual({ part, status: 200 });
    }
  });

  test('the queue page shows the queue and its jobs', async () => {
    const path = `/queues/api/queues?activeQueue=${DELIVERY_QUEUE}&status=delayed&page=1&jobsPerPage=10`;
    const { queues } = JSON.parse((await get(`${ops}${path}`)).text) as {
      queues: { name: string; readOnlyMode: boolean; jobs: { id: string; data: unknown }[] }[];
    };
    expect(queues.map(({ name, readOnlyMode }) => ({ name, readOnlyMode }))).toEqual([
      { name: DELIVERY_QUEUE, readOnlyMode: true },
    ]);
    expect(queues[0]?.jobs.find(({ id }) => id === 'dlv_1-2-0')?.data).toEqual({ deliveryIds: ['dlv_1'] });
  });

  test.each([
    `/api/queues?activeQueue=${DELIVERY_QUEUE}&status=delayed&page=1&jobsPerPage=10`,
    `/api/queues?activeQueue=${DELIVERY_QUEUE}&status=latest&page=1&jobsPerPage=10`,
    `/api/queues/${DELIVERY_QUEUE}/foreign`,
    `/api/queues/${DELIVERY_QUEUE}/foreign/logs`,
    `/api/queues/${DELIVERY_QUEUE}/foreign/flow`,
    `/API/queues/${DELIVERY_QUEUE}/foreign/FLOW/`,
    `/api/queues/${DELIVERY_QUEUE}/job-schedulers`,
  ])("the queue page shows nothing of other programs' jobs: %s", async (path) => {
    const { text } = await get(`${ops}/queues${path}`);
    expect(text).not.toContain(secret);
  });

  test.each([
    ['PUT', `/api/queues/${DELIVERY_QUEUE}/dlv_1-2-0/promote`],
    ['PUT', `/api/queues/${DELIVERY_QUEUE}/dlv_1-2-0/clean`],
    ['PUT', `/api/queues/${DELIVERY_QUEUE}/pause`],
    ['PUT', `/api/queues/${DELIVERY_QUEUE}/empty`],
    ['PUT', `/api/queues/${DELIVERY_QUEUE}/obliterate`],
    ['POST', `/api/queues/${DELIVERY_QUEUE}/add`],
    ['PATCH', `/api/queues/${DELIVERY_QUEUE}/dlv_1-2-0/update-data`],
    ['DELETE', '/'],
  ])('the queue page changes nothing: %s %s is rejected', async (method, path) => {
    const before = await redis.keys(`${keyPrefix}:*`);
    const answer = await fetch(`${ops}/queues${path}`, { method });
    await answer.text();
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await redis.keys(`${keyPrefix}:*`)).sort()).toEqual(before.sort());
  });

  test('the queue page leaves the other operations routes unchanged', async () => {
    expect((await get(`${ops}/livez`)).status).toBe(200);
    expect((await get(`${ops}/nothing`)).status).toBe(404);
  });
});
