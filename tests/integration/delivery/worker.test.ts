import { createHmac, timingSafeEqual } from 'node:crypto';
import { DELIVERY_QUEUE, FORMER_DELIVERY_QUEUE, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { makeSigningSecret } from '@artist-watch/domain/delivery/webhook-options';
import { seedConfirmedChanges } from '@artist-watch/harness/delivery-fixtures';
import { type ReceivedRequest, startReceiver } from '@artist-watch/harness/receiver';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { verify } from '@artist-watch/webhook-signature';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { Webhook } from 'standardwebhooks';
import { type DeliveryStack, startDeliveryStack } from './delivery-stack.js';

const SWEEP_INTERVAL_MS = 500;
const secret = 'whsec_0123456789abcdef';
let proxy: ScriptedProxy;
let stack: DeliveryStack;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  proxy = await startScriptedProxy();
  stack = await startDeliveryStack({ proxyUrls: [proxy.url], sweepIntervalMs: SWEEP_INTERVAL_MS });
});

afterAll(() => proxy.close());

afterEach(async () => {
  proxy.reactWith('tunnel');
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function receiver(options: Parameters<typeof startReceiver>[0] = {}) {
  const started = await startReceiver(options);
  cleanups.push(() => started.close());
  return started;
}

async function worker(settings: Record<string, string> = {}) {
  const started = await stack.startWorker(settings);
  cleanups.push(() => started.stop());
  return started;
}

/** This recipe is a copy of docs/api/webhooks.md. */
function acceptedByRecipe(request: ReceivedRequest): boolean {
  const parts = new Map(
    (request.headers['x-service-signature'] ?? '').split(',').map((part) => part.split('=') as [string, string]),
  );
  const t = parts.get('t') ?? '';
  const digest = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${t}.`), request.body]))
    .digest('hex');
  const fresh = Math.abs(Date.now() / 1000 - Number(t)) < 300;
  return fresh && timingSafeEqual(Buffer.from(digest), Buffer.from(parts.get('v1') ?? ''));
}

async function deliveriesOf(destinationId: string) {
  const { rows } = await stack.pool.query<{ state: string; attempt_count: number; skipped_reason: string | null }>(
    'SELECT state, attempt_count, skipped_reason FROM deliveries WHERE destination_id = $1 ORDER BY id',
    [destinationId],
  );
  return rows;
}

function allSettled(destinationId: string, deadlineMs = 60_000) {
  return until(
    'every delivery to be settled',
    async () => {
      const rows = await deliveriesOf(destinationId);
      return rows.length > 0 && rows.every((row) => row.state !== 'pending') && rows;
    },
    deadlineMs,
  );
}

/** This timeout only ends tests that hang, because the workers of one test share little CPU time. */
describe('workers', () => {
  test('several workers deliver every change exactly once, with a signature that the documented recipe accepts', async () => {
    const target = await receiver();
    await Promise.all([worker(), worker(), worker()]);
    const seeded = await stack.destination({ url: target.url, secret });
    await stack.confirmChanges(seeded, 200);
    const rows = await allSettled(seeded.destinationId);
    expect(rows.every((row) => row.state === 'succeeded' && row.attempt_count === 1)).toBe(true);
    expect(target.requests).toHaveLength(200);
    expect(new Set(target.requests.map((request) => request.headers['x-service-delivery'])).size).toBe(200);
    expect(target.requests.every(acceptedByRecipe)).toBe(true);
    expect(target.requests[0]?.headers).toMatchObject({
      accept: '*/*',
      'content-type': 'application/json',
      'x-service-event': 'change.confirmed',
      'x-service-attempt': '1',
    });
    expect(Object.keys(target.requests[0]?.headers ?? {}).sort()).toEqual(
      [
        'accept',
        'connection',
        'content-length',
        'content-type',
        'host',
        'user-agent',
        'x-service-attempt',
        'x-service-delivery',
        'x-service-event',
        'x-service-signature',
      ].sort(),
    );
  });

  test.each([
    ['a secret that this version created', makeSigningSecret(new Uint8Array(32).fill(251)), {}],
    ['a secret that the customer chose', 'a secret without base64', { format: 'raw' as const }],
  ])('the Standard Webhooks library verifies the headers of webhooks with %s', async (_, own, options) => {
    const target = await receiver();
    await worker();
    const seeded = await stack.destination({ url: target.url, secret: own });
    await stack.pool.query('UPDATE destinations SET standard_webhooks = true WHERE id = $1', [seeded.destinationId]);
    await stack.confirmChanges(seeded, 1);
    const [request] = await target.waitFor(1);
    if (!request) throw new Error('no request');
    const payload = new Webhook(own, options).verify(
      request.body.toString(),
      request.headers as Record<string, string>,
    );
    const now = Number(request.headers['webhook-timestamp']);
    expect(payload).toMatchObject({ event: 'change.confirmed' });
    const { rows } = await stack.pool.query('SELECT change_id FROM deliveries WHERE destination_id = $1', [
      seeded.destinationId,
    ]);
    expect(rows).toEqual([{ change_id: request.headers['webhook-id'] }]);
    expect(
      verify({ header: request.headers['x-service-signature'] ?? '', body: request.body, secret: own, now }),
    ).toBeTruthy();
    await allSettled(seeded.destinationId);
  });

  test("workers send the customer's headers in addition to ours with every attempt", async () => {
    const target = await receiver({ script: { status: 500 } });
    await worker({ WEBHOOK_RETRY_DELAYS: '100ms' });
    const headers = [
      { name: 'Authorization', value: 'Bearer of-the-customer' },
      { name: 'X-Team', value: 'a, b' },
    ];
    const seeded = await stack.destination({ url: target.url, secret, headers });
    await stack.confirmChanges(seeded, 1);
    await allSettled(seeded.destinationId);
    expect(target.requests).toHaveLength(2);
    for (const request of target.requests) {
      expect(request.headers).toMatchObject({
        authorization: 'Bearer of-the-customer',
        'x-team': 'a, b',
        'content-type': 'application/json',
        'user-agent': 'ArtistWatch-Webhooks/1',
      });
      expect(acceptedByRecipe(request)).toBe(true);
    }
  });

  test('workers do not send a signature to an unsigned destination', async () => {
    const target = await receiver();
    await worker();
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 1);
    const [request] = await target.waitFor(1);
    expect(request?.headers).not.toHaveProperty('x-service-signature');
    await allSettled(seeded.destinationId);
  });

  test('workers make six attempts with the configured delays, numbered from 1 and with the same bytes, then give up', async () => {
    const target = await receiver({ script: { status: 500 } });
    await worker({ WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms,500ms' });
    const seeded = await stack.destination({ url: target.url, secret });
    await stack.confirmChanges(seeded, 1);
    expect(await allSettled(seeded.destinationId)).toEqual([
      { state: 'failed', attempt_count: 6, skipped_reason: null },
    ]);
    expect(target.requests.map((request) => request.headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(new Set(target.requests.map((request) => request.body.toString())).size).toBe(1);
    expect(target.requests.every(acceptedByRecipe)).toBe(true);
    const { rows } = await stack.pool.query<{ number: number; gap_ms: number }>(
      `SELECT number, extract(epoch FROM started_at - lag(ended_at) OVER (ORDER BY number))::float8 * 1000 AS gap_ms
         FROM attempts WHERE delivery_id = $1 ORDER BY number`,
      [target.requests[0]?.headers['x-service-delivery']],
    );
    expect(rows.map((row) => row.number)).toEqual([1, 2, 3, 4, 5, 6]);
    rows.slice(1).forEach(({ gap_ms }, index) => {
      expect(gap_ms).toBeGreaterThanOrEqual((index + 1) * 100 - 2);
    });
  });

  test('workers warn about a destination twice and switch it off once, even if all the failures settle together', async () => {
    const target = await receiver();
    const started = await worker({ WEBHOOK_CONCURRENCY: '320', WEBHOOK_TIMEOUT: '60s' });
    const seeded = await stack.destination({ url: target.url, consecutiveFailures: 9 });
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    target.answerWith(() => answered.then(() => ({ status: 500 })));
    const changeIds = await seedConfirmedChanges(stack.pool, seeded.artistId, 14);
    await inTransaction(stack.pool, async (client) => {
      await fanOutChanges(client, changeIds, new Date());
      // The release window does not limit retries, and the sweeper queues them.
      await client.query('UPDATE deliveries SET attempt_count = 1, relay_at = NULL WHERE change_id = ANY($1)', [
        changeIds,
      ]);
    });
    await target.waitFor(14);
    await inTransaction(stack.pool, async (client) => {
      // Settlements wait while the row is locked, so they end up in a few batches.
      await client.query('SELECT 1 FROM destinations WHERE id = $1 FOR NO KEY UPDATE', [seeded.destinationId]);
      answer();
      await until('settlements to wait for the destination', async () => {
        const { rows } = await stack.pool.query(
          `SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%attempt_outcome%'`,
        );
        return rows.length > 0;
      });
    });
    const states = (await allSettled(seeded.destinationId)).map(({ state }) => state);
    expect(states).toEqual(Array(14).fill('skipped'));
    await until('no active job', async () => (await started.metric('artist_watch_webhook_requests_in_flight')) === 0);
    expect(await started.metric('artist_watch_webhook_destination_warnings_total')).toBe(2);
    expect(await started.metric('artist_watch_webhook_destinations_switched_off_total')).toBe(1);
  });

  test('workers count no failures while the proxies fail, and deliver when the proxies work again', async () => {
    const target = await receiver();
    await worker();
    proxy.reactWith({ status: 503 });
    const seeded = await stack.destination({ url: target.url });
    const before = proxy.connects.length;
    await stack.confirmChanges(seeded, 5);
    await until('a request to the proxy', () => proxy.connects.length > before);
    proxy.reactWith('tunnel');
    const rows = await allSettled(seeded.destinationId);
    expect(rows.every((row) => row.state === 'succeeded' && row.attempt_count === 1)).toBe(true);
    expect(target.requests).toHaveLength(5);
  });

  test('workers do not let a hanging destination delay others', async () => {
    const hung = await receiver({ script: 'hang' });
    const healthy = await receiver();
    await worker({ WEBHOOK_CONCURRENCY: '32', WEBHOOK_TIMEOUT: '60s' });
    const hungDestination = await stack.destination({ url: hung.url });
    await stack.confirmChanges(hungDestination, 300);
    await hung.waitFor(2);
    const healthyDestination = await stack.destination({ url: healthy.url });
    await stack.confirmChanges(healthyDestination, 50);
    await healthy.waitFor(50);
    // None of the hanging requests has ended, because their timeout is 60 s.
    expect(await deliveriesOf(hungDestination.destinationId)).toEqual(
      Array.from({ length: 300 }, () => ({ state: 'pending', attempt_count: 0, skipped_reason: null })),
    );
    await allSettled(healthyDestination.destinationId);
    hung.answerWith({ status: 204 });
    await hung.close();
    await stack.pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
      hungDestination.destinationId,
    ]);
  });
});

describe('a wiped Redis', () => {
  test('a wiped Redis loses no delivery, and every retry keeps its time', async () => {
    const target = await receiver({ script: (_request, index) => ({ status: index < 30 ? 500 : 204 }) });
    const running = await worker({ WEBHOOK_RETRY_DELAYS: '4s', WEBHOOK_SWITCH_OFF_AFTER: '1000' });
    // Each destination has one failed first attempt, so that none is paused for long.
    const first = await stack.destination({ url: target.url });
    const { artistId } = first;
    const others = await Promise.all(
      Array.from({ length: 29 }, () => stack.destination({ url: target.url, artistId })),
    );
    const failing = [first, ...others].map(({ destinationId }) => destinationId);
    await stack.confirmChanges(first, 1);
    await until('thirty retries to wait', async () => {
      const rows = (await Promise.all(failing.map(deliveriesOf))).flat();
      return rows.length === 30 && rows.every((row) => row.attempt_count === 1);
    });
    await running.stop();
    const waiting = await stack.destination({ url: target.url });
    await stack.confirmChanges(waiting, 100);
    await stack.redis.flushdb();
    await worker({ WEBHOOK_RETRY_DELAYS: '4s', WEBHOOK_SWITCH_OFF_AFTER: '1000' });
    const rows = (await Promise.all([...failing, waiting.destinationId].map((id) => allSettled(id)))).flat();
    expect(rows).toHaveLength(130);
    expect(rows.every((row) => row.state === 'succeeded')).toBe(true);
    expect(target.requests).toHaveLength(160);
    const { rows: early } = await stack.pool.query(
      `SELECT a.delivery_id FROM attempts a JOIN attempts b ON b.delivery_id = a.delivery_id AND b.number = 1
         JOIN deliveries d ON d.id = a.delivery_id
        WHERE d.destination_id = ANY($1) AND a.number = 2 AND a.started_at < b.ended_at + interval '3998 milliseconds'`,
      [failing],
    );
    expect(early).toEqual([]);
  });

  test('if Redis is wiped while requests are in flight, none of them is sent again', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const target = await receiver({ script: () => answered.then(() => ({})) });
    const started = await worker();
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 2);
    await target.waitFor(2);
    await stack.redis.flushdb();
    // A replica whose clock is ahead would add these jobs.
    const queue = openDeliveryQueue(stack.queuePlace);
    try {
      await queue.whenReady(5_000);
      const ids = target.requests.map(({ headers }) => headers['x-service-delivery'] ?? '');
      await queue.addEach(ids.map((deliveryId) => ({ deliveryId, attemptNumber: 1, roundStart: 0 })));
      // Both claims are refused, and the jobs are retried later.
      await until('both jobs to be delayed', async () => (await queue.depth()).delayed === 2);
    } finally {
      await queue.close();
    }
    answer();
    expect((await allSettled(seeded.destinationId)).map(({ state }) => state)).toEqual(Array(2).fill('succeeded'));
    await until('no active job', async () => (await started.metric('artist_watch_webhook_requests_in_flight')) === 0);
    // Otherwise the jobs would be delayed until the claims expire.
    await stack.redis.flushdb();
    expect(target.requests).toHaveLength(2);
  });

  test('a retry is delivered even if its job was lost from the list of delayed jobs', async () => {
    const target = await receiver({ script: (_request, index) => ({ status: index === 0 ? 500 : 204 }) });
    await worker({ WEBHOOK_RETRY_DELAYS: '1h' });
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 1);
    const delayed = new Queue(DELIVERY_QUEUE, { connection: stack.redis, prefix: stack.queuePlace.prefix });
    try {
      await until('the retry to be delayed', async () => (await delayed.getDelayedCount()) === 1);
      const [job] = await delayed.getDelayed();
      await stack.redis.del(delayed.toKey('delayed'));
      await stack.pool.query(
        `UPDATE deliveries SET next_attempt_at = now() - $2 * interval '1 millisecond' WHERE destination_id = $1`,
        [seeded.destinationId, 17 * SWEEP_INTERVAL_MS],
      );
      expect((await allSettled(seeded.destinationId)).map(({ state }) => state)).toEqual(['succeeded']);
      expect(target.requests).toHaveLength(2);
      await job?.remove();
    } finally {
      await delayed.close();
    }
  });

  test('a wiped Redis delays a retry by at most two sweeps', async () => {
    const target = await receiver({ script: (_request, index) => ({ status: index === 0 ? 500 : 204 }) });
    await worker({ WEBHOOK_RETRY_DELAYS: '1s' });
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 1);
    await until(
      'the retry to be delayed',
      async () => (await deliveriesOf(seeded.destinationId))[0]?.attempt_count === 1,
    );
    await stack.redis.flushdb();
    await allSettled(seeded.destinationId);
    const { rows } = await stack.pool.query<{ late_ms: number }>(
      `SELECT extract(epoch FROM b.started_at - a.ended_at)::float8 * 1000 - 1000 AS late_ms
         FROM attempts a JOIN attempts b USING (delivery_id) WHERE a.number = 1 AND b.number = 2 AND delivery_id = $1`,
      [target.requests[0]?.headers['x-service-delivery']],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.late_ms).toBeGreaterThanOrEqual(-2);
    // Two sweeps take 1 s. The rest is for a busy machine.
    expect(rows[0]?.late_ms).toBeLessThan(2 * SWEEP_INTERVAL_MS + 2_000);
  });

  test('a wiped Redis loses no released and no waiting delivery', async () => {
    const target = await receiver();
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 40);
    await until('two deliveries to be released', async () => {
      const { rows } = await stack.pool.query('SELECT FROM deliveries WHERE destination_id = $1 AND relay_at IS NULL', [
        seeded.destinationId,
      ]);
      return rows.length === 2;
    });
    await stack.redis.flushdb();
    await worker();
    expect((await allSettled(seeded.destinationId)).map(({ state }) => state)).toEqual(Array(40).fill('succeeded'));
    expect(target.requests).toHaveLength(40);
  });
});

describe('a worker that dies', () => {
  test('when a worker dies, another worker takes over its deliveries and logs this', async () => {
    const target = await receiver();
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 12);
    const released = await until('two deliveries to be released', async () => {
      const { rows } = await stack.pool.query<{ id: string }>(
        'SELECT id FROM deliveries WHERE destination_id = $1 AND relay_at IS NULL',
        [seeded.destinationId],
      );
      return rows.length === 2 && rows.map(({ id }) => id);
    });
    // A worker claims the deliveries and their jobs, then crashes.
    await claimDeliveries(stack.pool, released, 300);
    await stack.redis.flushdb();
    const survivor = await worker();
    expect((await allSettled(seeded.destinationId)).map(({ state }) => state)).toEqual(Array(12).fill('succeeded'));
    expect(target.requests).toHaveLength(12);
    expect(target.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(Array(12).fill('1'));
    expect(await survivor.metric('artist_watch_webhook_deliveries_taken_over_total')).toBe(2);
  });
});

test('deliveries with jobs in the former queue are sent, delayed ones at their times', async () => {
  const target = await receiver();
  const seeded = await stack.destination({ url: target.url });
  const changeIds = await seedConfirmedChanges(stack.pool, seeded.artistId, 3);
  await inTransaction(stack.pool, async (client) => {
    await fanOutChanges(client, changeIds, new Date());
    // An older version leaves deliveries in its queue without counting them as in flight.
    await client.query('UPDATE deliveries SET relay_at = NULL WHERE change_id = ANY($1)', [changeIds]);
    await client.query(
      `UPDATE deliveries SET attempt_count = 1, next_attempt_at = now() + interval '400 milliseconds' WHERE change_id = $1`,
      [changeIds[2]],
    );
  });
  const { rows } = await stack.pool.query<{ id: string; isLater: boolean }>(
    'SELECT id, attempt_count = 1 AS "isLater" FROM deliveries WHERE destination_id = $1',
    [seeded.destinationId],
  );
  const { destinationId } = seeded;
  const former = new Queue(FORMER_DELIVERY_QUEUE, { connection: stack.redis, prefix: stack.queuePlace.prefix });
  cleanups.push(() => former.close());
  await former.addBulk(
    rows.map(({ id, isLater }) => ({
      name: 'change.confirmed',
      data: { deliveryId: id, destinationId },
      opts: { jobId: id, ...(isLater && { delay: 400 }) },
    })),
  );
  await worker();
  expect((await allSettled(destinationId)).map(({ state }) => state)).toEqual(Array(3).fill('succeeded'));
  expect(target.requests.map(({ headers }) => headers['x-service-attempt']).sort()).toEqual(['1', '1', '2']);
  await until('the former queue to be empty', async () => {
    const counts = await former.getJobCounts('waiting', 'delayed', 'active');
    return Object.values(counts).every((count) => count === 0);
  });
});

test('an account with slow receivers does not take slots from another account', async () => {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = await receiver({ script: () => answered.then(() => ({})) });
  const quick = await receiver();
  // Each account may use an eighth of the slots.
  await worker({ WEBHOOK_CONCURRENCY: '32', WEBHOOK_TIMEOUT: '60s' });
  const first = await stack.destination({ url: slow.url });
  await stack.pool.query(
    `INSERT INTO destinations (id, account_id, url, created_at, kind)
     SELECT new_id('dst', now()), account_id, url || '/' || n, now(), kind
       FROM destinations, generate_series(1, 9) AS n WHERE id = $1`,
    [first.destinationId],
  );
  await stack.confirmChanges(first, 20);
  await slow.waitFor(4);
  const other = await stack.destination({ url: quick.url });
  await stack.confirmChanges(other, 30);
  await quick.waitFor(30);
  // No request of the slow account has ended yet.
  expect(slow.requests).toHaveLength(4);
  answer();
  await until('all deliveries to be settled', async () => {
    const { rows } = await stack.pool.query(`SELECT 1 FROM deliveries WHERE account_id = $1 AND state = 'pending'`, [
      first.accountId,
    ]);
    return rows.length === 0;
  });
  expect(slow.requests).toHaveLength(200);
});
