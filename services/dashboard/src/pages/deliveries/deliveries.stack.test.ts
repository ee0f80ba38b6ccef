import { type DashboardUnderTest, seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { type SeededDestination, seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

let suite: Suite;
let dashboard: DashboardUnderTest;
let seeded: SeededDestination;
let cookie: string;
let base: string;
const HOSTILE = '<script>alert(1)</script>';

beforeAll(async () => {
  suite = await useSuite();
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
  seeded = await seedDestination(suite.pool, { consecutiveFailures: 7 });
  ({ cookie } = await seedMember(suite.pool, seeded.accountId));
  base = `/a/${seeded.accountId}`;
});

const get = (path: string, as = cookie) => dashboard.call(`${base}${path}`, { cookie: as });

/** @returns the delivery's id. */
async function seedDelivery({ accountId, artistId, destinationId }: SeededDestination): Promise<string> {
  const [changeId] = await seedConfirmedChanges(suite.pool, artistId, 1);
  const { rows } = await suite.pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, trigger, state, attempt_count, settled_at, created_at,
                             last_failure)
     VALUES (new_id('dlv', now()), $1, $2, $3, 'change', 'failed', 1, now(), now(), 'unexpected_status:5xx') RETURNING id`,
    [accountId, destinationId, changeId],
  );
  const { id } = rows[0] as { id: string };
  await suite.pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                           started_at, ended_at)
     VALUES (new_id('att', now()), $1, 1, 'failed', 'receiver', 503, 'unexpected_status', 'The receiver answered 503.', $2,
             now(), now())`,
    [id, HOSTILE],
  );
  return id;
}

test('a destination shows its run of failures, why it is off since when, and its last day', async () => {
  await suite.pool.query('UPDATE destinations SET name = $2 WHERE id = $1', [seeded.destinationId, HOSTILE]);
  const list = await get('/destinations');
  expect(list.status).toBe(200);
  expect(list.text).toContain('7 of 20');
  expect(list.text).not.toContain(HOSTILE);
  await suite.pool.query(
    `UPDATE destinations SET state = 'off', switched_off_at = now(), switched_off_reason = '20 failures in a row' WHERE id = $1`,
    [seeded.destinationId],
  );
  const off = await get(`/destinations/${seeded.destinationId}`);
  expect(off.text).toContain('20 failures in a row');
  expect(off.text).toContain('Off: nothing is sent');
});

test('a delivery shows its attempts, whose fault it was and what to do; what the receiver said is text', async () => {
  const id = await seedDelivery(seeded);
  const { status, text } = await get(`/deliveries/${id}`);
  expect(status).toBe(200);
  expect(text).toContain('The receiver answered 503.');
  expect(text).toContain('it must answer any 2xx status within 10 seconds');
  expect(text).toContain('&lt;script>alert(1)');
  expect(text).not.toContain(HOSTILE);
});

test('filters stand in the address: each leaves out what it does not mean, and a wrong one says so', async () => {
  const id = await seedDelivery(seeded);
  for (const query of [
    'state=failed',
    'status_class=5xx',
    'error=unexpected_status',
    'blame=receiver',
    'since=2026-01-01',
  ]) {
    expect((await get(`/deliveries?${query}`)).text).toContain(id);
  }
  for (const query of ['state=pending', 'status_class=4xx', 'trigger=test', 'until=2026-01-01']) {
    const { status, text } = await get(`/deliveries?${query}`);
    expect([query, status]).toEqual([query, 200]);
    expect(text).not.toContain(id);
  }
  const wrong = await get('/deliveries?state=gone');
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('must be one of pending, succeeded, failed, skipped');
});

test("another account's ids are the same 404 as ids that do not exist", async () => {
  const other = await seedDestination(suite.pool);
  const foreign = await seedDelivery(other);
  const missing = await get('/deliveries/dlv_00000000000000000000000000000000');
  expect(missing.status).toBe(404);
  for (const path of [`/deliveries/${foreign}`, `/destinations/${other.destinationId}`, '/destinations/x']) {
    expect([path, await get(path)]).toMatchObject([path, { status: 404, text: missing.text }]);
  }
  expect((await get(`/deliveries?destination=${other.destinationId}`)).text).not.toContain(foreign);
});
