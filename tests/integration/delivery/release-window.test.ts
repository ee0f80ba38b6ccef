import { type Receiver, startReceiver } from '@artist-watch/harness/receiver';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { sleep } from '@artist-watch/runtime/clock';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { countDeliveries, type DestinationRow, destinationRow } from './delivery-rows.js';
import { type DeliveryStack, startDeliveryStack } from './delivery-stack.js';

/** With a 60th of the production delays, pauses last 17 ms, 83 ms, 0.5 s, 2 s, 10 s and 30 s. */
const SIXTY_TIMES = { WEBHOOK_RETRY_DELAYS: '1s,5s,30s,120s,360s' };
/** With pauses of 5 to 250 ms, a failing destination is switched off after a second or two. */
const IMPATIENT = { WEBHOOK_RETRY_DELAYS: '300ms,600ms,1200ms,2s,3s' };
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

async function workers(count: number, settings: Record<string, string>) {
  const started = await Promise.all(Array.from({ length: count }, () => stack.startWorker(settings)));
  for (const worker of started) cleanups.push(() => worker.stop());
  return started;
}

function row({ destinationId }: { readonly destinationId: string }): Promise<DestinationRow> {
  return destinationRow(stack.pool, destinationId);
}

function countOf({ destinationId }: { readonly destinationId: string }, where: string): Promise<number> {
  return countDeliveries(stack.pool, destinationId, where);
}

function succeeded(seeded: { readonly destinationId: string }, count: number) {
  return until(
    `${count} deliveries to succeed`,
    async () => (await countOf(seeded, `state = 'succeeded'`)) === count,
    60_000,
  );
}

async function switchOff({ destinationId }: { readonly destinationId: string }): Promise<void> {
  await stack.pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
    destinationId,
  ]);
}

/** Claims take 20 ms longer, so that settlements run at the same time. */
async function recordClaims(): Promise<void> {
  await stack.pool.query(`
    CREATE TABLE claims_seen (destination_id text NOT NULL, is_off boolean NOT NULL);
    CREATE FUNCTION record_claim() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(0.02);
      INSERT INTO claims_seen SELECT id, state = 'off' FROM destinations WHERE id = NEW.destination_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_claim AFTER UPDATE OF claimed_until ON deliveries FOR EACH ROW
      WHEN (NEW.claimed_until > OLD.claimed_until OR (NEW.claimed_until IS NOT NULL AND OLD.claimed_until IS NULL))
      EXECUTE FUNCTION record_claim()`);
}

function attemptsSeen({ requests }: Receiver): string[] {
  return requests.map(({ headers }) => `${headers['x-service-delivery']} ${headers['x-service-attempt']}`);
}

describe('a receiver that returns 500', () => {
  beforeAll(recordClaims);
  afterAll(() => stack.pool.query('DROP TRIGGER record_claim ON deliveries'));

  test.each([
    [20, 1],
    [20, 3],
    [80, 1],
    [80, 3],
    [1_000, 1],
    [1_000, 3],
  ])(
    'a receiver that returns 500 is switched off at exactly the 20th failed attempt (%i changes, workers: %i)',
    async (changes, count) => {
      const target = await receiver({ script: { status: 500, delayMs: 5 } });
      const started = await workers(count, IMPATIENT);
      const seeded = await stack.destination({ url: target.url });
      await stack.reportChanges(seeded, changes);
      await until('the destination to be off', async () => (await row(seeded)).state === 'off', 60_000);
      // Deliveries claimed before the switch-off are still sent. At most 8 may be in flight, so at most 7 remain when the
      // 20th failure settles.
      await until('no request to be in flight', async () => {
        const inFlight = await Promise.all(
          started.map((worker) => worker.metric('artist_watch_webhook_requests_in_flight')),
        );
        return inFlight.every((requests) => requests === 0) && (await countOf(seeded, `state = 'pending'`)) === 0;
      });
      const sent = target.requests.length;
      expect(sent).toBeGreaterThanOrEqual(20);
      expect(sent).toBeLessThanOrEqual(27);
      expect(new Set(attemptsSeen(target)).size).toBe(sent);
      expect(await row(seeded)).toMatchObject({ failures: 20, paceMs: null });
      const { rows: notices } = await stack.pool.query<{ notice: string }>(
        `SELECT kind || ' ' || consecutive_failures AS notice
         FROM destination_notices WHERE destination_id = $1 ORDER BY consecutive_failures`,
        [seeded.destinationId],
      );
      expect(notices.map(({ notice }) => notice)).toEqual(['warning 10', 'warning 15', 'switched_off 20']);
      // Every request had its own claim, and no claim followed the switch-off.
      const { rows: claims } = await stack.pool.query<{ all: number; late: number }>(
        `SELECT count(*)::int AS "all", count(*) FILTER (WHERE is_off)::int AS late
         FROM claims_seen WHERE destination_id = $1`,
        [seeded.destinationId],
      );
      expect(claims).toEqual([{ all: sent, late: 0 }]);
      expect(await countOf(seeded, `state = 'skipped' AND skipped_reason = 'destination_off'`)).toBe(changes);
      // New changes are stored as skipped, and nothing is sent.
      await stack.reportChanges(seeded, 5);
      expect(await countOf(seeded, `state = 'skipped'`)).toBe(changes + 5);
      expect(target.requests).toHaveLength(sent);
    },
  );

  test('a failing receiver gets one first attempt after each pause from all workers together, and the pauses get longer', async () => {
    const target = await receiver({ script: { status: 500, delayMs: 20 } });
    await workers(3, { WEBHOOK_RETRY_DELAYS: '6s,30s,1h' });
    const seeded = await stack.destination({ url: target.url });
    await stack.reportChanges(seeded, 40);
    await until('the third pause to be over', async () => (await countOf(seeded, 'attempt_count > 0')) === 4);
    await switchOff(seeded);
    const { rows } = await stack.pool.query<{ gap_ms: number }>(
      `SELECT extract(epoch FROM started_at - lag(ended_at) OVER (ORDER BY started_at))::float8 * 1000 AS gap_ms
         FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.destination_id = $1 AND a.number = 1
        ORDER BY started_at`,
      [seeded.destinationId],
    );
    // The first two attempts start immediately, the third after 100 ms, and the fourth after another 500 ms.
    expect(rows).toHaveLength(4);
    expect(rows[2]?.gap_ms).toBeGreaterThanOrEqual(98);
    expect(rows[3]?.gap_ms).toBeGreaterThanOrEqual(498);
  });
});

describe('a receiver that is down for 30 s in production', () => {
  test('a receiver that is down for 30 s under full load is not switched off and gets every change exactly once', async () => {
    let isUp = true;
    const target = await receiver({ script: () => ({ status: isUp ? 204 : 503, delayMs: 2 }) });
    await workers(2, SIXTY_TIMES);
    const seeded = await stack.destination({ url: target.url });
    const changes = 400;
    await stack.reportChanges(seeded, changes);
    await until('the destination to have a full load', () => target.requests.length >= 60);
    expect(await row(seeded)).toMatchObject({ state: 'active', failures: 0 });
    isUp = false;
    await until('a failure', async () => (await row(seeded)).failures > 0);
    // The production pause is 60 times as long.
    await sleep(500);
    isUp = true;
    await succeeded(seeded, changes);
    expect(await row(seeded)).toEqual({
      ...{ state: 'active', failures: 0, inFlight: 0, paceMs: null, pausedForMs: null },
    });
    const seen = attemptsSeen(target);
    expect(new Set(seen).size).toBe(seen.length);
    const { rows: early } = await stack.pool.query(
      `SELECT 1 FROM attempts a JOIN attempts b ON b.delivery_id = a.delivery_id AND b.number = 1
         JOIN deliveries d ON d.id = a.delivery_id
        WHERE d.destination_id = $1 AND a.number = 2 AND a.started_at < b.ended_at + interval '998 milliseconds'`,
      [seeded.destinationId],
    );
    expect(early).toEqual([]);
  });
});

describe('a flood of 1,000 changes', () => {
  test('a flood of 1,000 changes has at most 8 first attempts in flight from three workers, and all arrive', async () => {
    let [open, most] = [0, 0];
    const target = await receiver({
      async script() {
        open += 1;
        most = Math.max(most, open);
        await sleep(5);
        open -= 1;
        return {};
      },
    });
    await workers(3, SIXTY_TIMES);
    const seeded = await stack.destination({ url: target.url });
    await stack.reportChanges(seeded, 1_000, 100);
    await succeeded(seeded, 1_000);
    expect(target.requests).toHaveLength(1_000);
    expect(new Set(attemptsSeen(target)).size).toBe(1_000);
    expect(most).toBeLessThanOrEqual(8);
    // Fewer requests in flight would mean that the changes did not arrive as a flood.
    expect(most).toBeGreaterThan(4);
    expect(await row(seeded)).toMatchObject({ inFlight: 0, failures: 0 });
  });

  test('changes that are reported in one request have at most 8 attempts in flight', async () => {
    let [open, most] = [0, 0];
    const target = await receiver({
      async script() {
        open += 1;
        most = Math.max(most, open);
        await sleep(2);
        open -= 1;
        return {};
      },
    });
    await workers(2, SIXTY_TIMES);
    const seeded = await stack.destination({ url: target.url });
    await stack.reportChanges(seeded, 300, 300);
    await succeeded(seeded, 300);
    expect(most).toBeLessThanOrEqual(8);
  });
});

describe("a destination's pause", () => {
  test('the pause of a destination survives a wiped Redis, and no waiting delivery is lost', async () => {
    let isUp = false;
    const target = await receiver({ script: () => ({ status: isUp ? 204 : 503 }) });
    await workers(1, { WEBHOOK_RETRY_DELAYS: '6s,30s,180s' });
    const seeded = await stack.destination({ url: target.url });
    await stack.reportChanges(seeded, 50);
    await until('the second pause', async () => (await row(seeded)).paceMs === 500);
    await stack.redis.flushdb();
    expect(await row(seeded)).toMatchObject({ paceMs: 500, pausedForMs: expect.any(Number) });
    isUp = true;
    await succeeded(seeded, 50);
  });

  test('a pause ends soon after an unresponsive database responds again', async () => {
    const target = await receiver({ script: { status: 503 } });
    await workers(1, { WEBHOOK_RETRY_DELAYS: '6s,30s,180s' });
    const seeded = await stack.destination({ url: target.url });
    await stack.reportChanges(seeded, 10);
    await until('the destination to be paused', async () => ((await row(seeded)).paceMs ?? 0) >= 100);
    const client = await stack.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE destinations IN ACCESS EXCLUSIVE MODE');
      await sleep(3_000);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    target.answerWith({ status: 204 });
    // The loop pauses in proportion to its last run, but for less than nine times 3 s.
    await until(
      'all deliveries to be released',
      async () => (await countOf(seeded, 'attempt_count = 0')) === 0,
      15_000,
    );
    await succeeded(seeded, 10);
  });
});
