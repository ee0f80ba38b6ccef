import { type Receiver, startReceiver } from '@artist-watch/harness/receiver';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { sleep } from '@artist-watch/runtime/clock';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type DeliveryStack, startDeliveryStack } from './delivery-stack.js';

/** As in production, ten times as fast: a pause of 100 ms at first and of 6 s at the most. */
const DELAYS = { WEBHOOK_RETRY_DELAYS: '6s,30s,180s' };
let proxy: ScriptedProxy;
let stack: DeliveryStack;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  proxy = await startScriptedProxy();
  stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
});

afterAll(() => proxy.close());

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function receiver(options: Parameters<typeof startReceiver>[0] = {}): Promise<Receiver> {
  const started = await startReceiver(options);
  cleanups.push(() => started.close());
  return started;
}

async function worker(settings: Record<string, string> = {}) {
  const started = await stack.startWorker({ ...DELAYS, ...settings });
  cleanups.push(() => started.stop());
  return started;
}

async function destination(id: string) {
  const { rows } = await stack.pool.query<{ state: string; failures: number; paceMs: number | null }>(
    `SELECT state, consecutive_failures AS failures, pace_ms AS "paceMs" FROM destinations WHERE id = $1`,
    [id],
  );
  return rows[0];
}

async function countOf(destinationId: string, where: string): Promise<number> {
  const { rows } = await stack.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries d WHERE destination_id = $1 AND ${where}`,
    [destinationId],
  );
  return rows[0]?.count ?? 0;
}

function succeeded(destinationId: string, count: number) {
  return until(
    `${count} deliveries to succeed`,
    async () => (await countOf(destinationId, `state = 'succeeded'`)) === count,
    60_000,
  );
}

/** What a receiver got of each delivery. */
function attemptsSeen({ requests }: Receiver): string[] {
  return requests.map(({ headers }) => `${headers['x-service-delivery']} ${headers['x-service-attempt']}`);
}

test('a burst that meets a restart switches nothing off: all of it is delivered, each once, and retries keep their times', async () => {
  let isUp = false;
  const target = await receiver({ script: () => ({ status: isUp ? 204 : 503 }) });
  await Promise.all([worker(), worker()]);
  const { destinationId, ...seeded } = await stack.destination({ url: target.url });
  await stack.confirmChanges({ destinationId, ...seeded }, 60);
  await until('the pause to have grown', async () => ((await destination(destinationId))?.paceMs ?? 0) >= 800);
  const failed = await destination(destinationId);
  expect(failed?.state).toBe('active');
  // One for what was on the wire at first, and one for each pause.
  expect(failed?.failures).toBeLessThan(20);
  expect(await countOf(destinationId, `state <> 'pending'`)).toBe(0);
  isUp = true;
  await succeeded(destinationId, 60);
  expect(await destination(destinationId)).toEqual({ state: 'active', failures: 0, paceMs: null });
  const seen = attemptsSeen(target);
  expect(new Set(seen).size).toBe(seen.length);
  const { rows: early } = await stack.pool.query(
    `SELECT 1 FROM attempts a JOIN attempts b ON b.delivery_id = a.delivery_id AND b.number = 1
       JOIN deliveries d ON d.id = a.delivery_id
      WHERE d.destination_id = $1 AND a.number = 2 AND a.started_at < b.ended_at + interval '5998 milliseconds'`,
    [destinationId],
  );
  expect(early).toEqual([]);
});

test('first attempts to a paced destination go one at a time over all workers, each after its pause', async () => {
  const target = await receiver({ script: { status: 500, delayMs: 50 } });
  await Promise.all([worker(), worker(), worker()]);
  const seeded = await stack.destination({ url: target.url });
  await stack.confirmChanges(seeded, 1);
  await until('it to be paced', async () => (await destination(seeded.destinationId))?.paceMs === 100);
  await stack.confirmChanges(seeded, 40);
  await until('five more', async () => (await destination(seeded.destinationId))?.paceMs === 3_200);
  const { rows } = await stack.pool.query<{ gap_ms: number }>(
    `SELECT extract(epoch FROM started_at - lag(ended_at) OVER (ORDER BY started_at))::float8 * 1000 AS gap_ms
       FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.destination_id = $1 AND a.number = 1
      ORDER BY started_at LIMIT 6`,
    [seeded.destinationId],
  );
  for (const [index, { gap_ms }] of rows.slice(1).entries())
    expect(gap_ms).toBeGreaterThanOrEqual(100 * 2 ** index - 2);
  await stack.pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
    seeded.destinationId,
  ]);
});

test('a receiver that is down for good is switched off at exactly 20, and what waits is skipped', async () => {
  const target = await receiver({ script: 'reset' });
  const fast = { WEBHOOK_RETRY_DELAYS: '1s,2s,1h' };
  await Promise.all([worker(fast), worker(fast)]);
  const seeded = await stack.destination({ url: target.url });
  await stack.confirmChanges(seeded, 300);
  await until('it to be off', async () => (await destination(seeded.destinationId))?.state === 'off', 60_000);
  expect(await destination(seeded.destinationId)).toEqual({ state: 'off', failures: 20, paceMs: null });
  await until(
    'all to be skipped',
    async () => (await countOf(seeded.destinationId, `state = 'skipped'`)) === 300,
    30_000,
  );
});

test('a wiped Redis ends no pacing, and loses nothing of what waits for it', async () => {
  let isUp = false;
  const target = await receiver({ script: () => ({ status: isUp ? 204 : 503 }) });
  await worker();
  const seeded = await stack.destination({ url: target.url });
  await stack.confirmChanges(seeded, 50);
  const { destinationId } = seeded;
  await until('it to be paced', async () => ((await destination(destinationId))?.paceMs ?? 0) >= 400);
  await stack.redis.flushdb();
  const before = await destination(destinationId);
  isUp = true;
  expect(before?.paceMs).not.toBeNull();
  await succeeded(destinationId, 50);
});

test('a database that is silent for seconds does not keep paced deliveries waiting for minutes', async () => {
  const target = await receiver({ script: { status: 503 } });
  await worker();
  const seeded = await stack.destination({ url: target.url });
  const { destinationId } = seeded;
  await stack.confirmChanges(seeded, 10);
  await until('it to be paced', async () => ((await destination(destinationId))?.paceMs ?? 0) >= 200);
  const client = await stack.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE destinations IN ACCESS EXCLUSIVE MODE');
    await sleep(4_000);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  target.answerWith({ status: 204 });
  // A tenth of a core would be a rest of 36 s.
  await until('all to be released', async () => (await countOf(destinationId, `attempt_count = 0`)) === 0, 20_000);
  await succeeded(destinationId, 10);
});

test('the turn of a worker that never settles goes to another one when its claim has run out', async () => {
  const target = await receiver();
  const seeded = await stack.destination({ url: target.url });
  await stack.confirmChanges(seeded, 3);
  const { destinationId } = seeded;
  // What a worker leaves that was killed between claim and settlement.
  await stack.pool.query(
    `UPDATE destinations SET consecutive_failures = 1, pace_ms = 100, paced_until = now() + interval '2 seconds'
      WHERE id = $1`,
    [destinationId],
  );
  await stack.pool.query(
    `UPDATE deliveries SET relay_at = NULL, claimed_until = now() + interval '2 seconds'
      WHERE id = (SELECT min(id) FROM deliveries WHERE destination_id = $1)`,
    [destinationId],
  );
  await worker();
  await until('the others to wait', async () => (await countOf(destinationId, `relay_at = 'infinity'`)) === 2);
  expect(target.requests).toHaveLength(0);
  await succeeded(destinationId, 3);
  expect(attemptsSeen(target).sort()).toEqual([...new Set(attemptsSeen(target))].sort());
});
