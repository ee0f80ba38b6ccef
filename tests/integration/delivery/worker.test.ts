import { createHmac, timingSafeEqual } from 'node:crypto';
import { seedConfirmedChanges } from '@artist-watch/harness/delivery-fixtures';
import { type ReceivedRequest, startReceiver } from '@artist-watch/harness/receiver';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliveryStack, startDeliveryStack } from './delivery-stack.js';

const secret = 'whsec_0123456789abcdef';
let proxy: ScriptedProxy;
let stack: DeliveryStack;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  proxy = await startScriptedProxy();
  stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
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

/** Word for word the recipe of docs/reference/webhooks.md. */
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

/** Bounds what hangs; on a busy machine the workers of one test share a sliver of a core. */
describe('workers', () => {
  test('deliver every change exactly once with a signature that the documented recipe accepts', async () => {
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
      'content-type': 'application/json',
      'x-service-event': 'change.confirmed',
      'x-service-attempt': '1',
    });
    expect(Object.keys(target.requests[0]?.headers ?? {}).sort()).toEqual(
      [
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

  test('send an unsigned destination no signature', async () => {
    const target = await receiver();
    await worker();
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 1);
    const [request] = await target.waitFor(1);
    expect(request?.headers).not.toHaveProperty('x-service-signature');
    await allSettled(seeded.destinationId);
  });

  test('make six attempts at the configured delays, numbered from 1, the same bytes each time, and then give up', async () => {
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

  test('switch a destination off at its 20th failure in a row, send nothing more, and skip what waits', async () => {
    const target = await receiver({ script: { status: 503 } });
    const slots = 8;
    const settings = { WEBHOOK_RETRY_DELAYS: '2s,1h', WEBHOOK_CONCURRENCY: String(slots) };
    await Promise.all([worker(settings), worker(settings), worker(settings)]);
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 60);
    const rows = await allSettled(seeded.destinationId);
    expect(rows.every((row) => row.state === 'skipped' && row.skipped_reason === 'destination_off')).toBe(true);
    const { rows: destinations } = await stack.pool.query(
      `SELECT t.state, t.consecutive_failures,
              (SELECT array_agg(kind || ':' || n.consecutive_failures || ':' || reason ORDER BY n.consecutive_failures)
                 FROM destination_notices n WHERE n.destination_id = t.id) AS history
         FROM destinations t WHERE id = $1`,
      [seeded.destinationId],
    );
    expect(destinations).toEqual([
      {
        state: 'off',
        consecutive_failures: 20,
        history: [
          'warning:10:10 failures in a row',
          'warning:15:15 failures in a row',
          'switched_off:20:20 failures in a row',
        ],
      },
    ]);
    const sentUntilNow = target.requests.length;
    // 20, what was on the wire when the pacing began, and at the switch-off: three workers with their shares.
    expect(sentUntilNow).toBeGreaterThanOrEqual(20);
    expect(sentUntilNow).toBeLessThan(20 + 3 * slots);
    await stack.confirmChanges(seeded, 5);
    const after = await deliveriesOf(seeded.destinationId);
    expect(after.filter((row) => row.state === 'skipped')).toHaveLength(65);
    expect(target.requests).toHaveLength(sentUntilNow);
  });

  test('warn of a destination twice and switch it off once, although all its retries fail at the same moment', async () => {
    const target = await receiver();
    const started = await worker({ WEBHOOK_CONCURRENCY: '320', WEBHOOK_TIMEOUT: '60s' });
    const seeded = await stack.destination({ url: target.url });
    // Its share grows with each success.
    await stack.confirmChanges(seeded, 60);
    await allSettled(seeded.destinationId);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    target.answerWith(() => answered.then(() => ({ status: 500 })));
    const changeIds = await seedConfirmedChanges(stack.pool, seeded.artistId, 40);
    await inTransaction(stack.pool, async (client) => {
      await fanOutChanges(client, changeIds, new Date());
      // First attempts would count as one failure.
      await client.query('UPDATE deliveries SET attempt_count = 1 WHERE change_id = ANY($1)', [changeIds]);
    });
    await target.waitFor(100);
    await inTransaction(stack.pool, async (client) => {
      // What settles meanwhile waits, and gathers in few batches.
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
    expect(states.filter((state) => state === 'skipped')).toHaveLength(40);
    await until('no job to be in hand', async () => (await started.metric('webhook_requests_in_flight')) === 0);
    expect(await started.metric('webhook_destination_warnings_total')).toBe(2);
    expect(await started.metric('webhook_destinations_switched_off_total')).toBe(1);
  });

  test('count nothing against anybody while the proxies fail, and deliver once they are well', async () => {
    const target = await receiver();
    await worker();
    proxy.reactWith({ status: 503 });
    const seeded = await stack.destination({ url: target.url });
    const before = proxy.connects.length;
    await stack.confirmChanges(seeded, 5);
    await until('the proxy to be asked', () => proxy.connects.length > before);
    proxy.reactWith('tunnel');
    const rows = await allSettled(seeded.destinationId);
    expect(rows.every((row) => row.state === 'succeeded' && row.attempt_count === 1)).toBe(true);
    expect(target.requests).toHaveLength(5);
  });

  test('let a hung destination delay no other one', async () => {
    const hung = await receiver({ script: 'hang' });
    const healthy = await receiver();
    await worker({ WEBHOOK_CONCURRENCY: '32', WEBHOOK_TIMEOUT: '60s' });
    const hungDestination = await stack.destination({ url: hung.url });
    await stack.confirmChanges(hungDestination, 300);
    await hung.waitFor(4);
    const healthyDestination = await stack.destination({ url: healthy.url });
    await stack.confirmChanges(healthyDestination, 50);
    await healthy.waitFor(50);
    // Not one of the hung requests has ended by then: 60 s.
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
  test('loses no delivery and keeps every retry at its own time', async () => {
    const target = await receiver({ script: (_request, index) => ({ status: index < 30 ? 500 : 204 }) });
    const running = await worker({ WEBHOOK_RETRY_DELAYS: '4s', WEBHOOK_SWITCH_OFF_AFTER: '1000' });
    // One failed first attempt each, so that none is paced for long.
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

  test('while requests are on the wire sends none of them twice', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const target = await receiver({ script: () => answered.then(() => ({})) });
    const started = await worker();
    const seeded = await stack.destination({ url: target.url });
    await stack.confirmChanges(seeded, 4);
    await target.waitFor(4);
    await stack.redis.flushdb();
    await until('the sweeper to put them back', async () => (await stack.redis.keys('*:dlv_*')).length >= 4);
    answer();
    expect((await allSettled(seeded.destinationId)).map(({ state }) => state)).toEqual(Array(4).fill('succeeded'));
    await until('no job to be in hand', async () => (await started.metric('webhook_requests_in_flight')) === 0);
    // Their jobs would sleep until the claims run out.
    await stack.redis.flushdb();
    expect(target.requests).toHaveLength(4);
  });
});
