import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const patientApi = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { accountWaitMs: 60_000 }));

const WRITES = 40;
/** One write can run at a time, while up to 100 others wait. */
const WRITES_AT_ONCE = 101;

const account = await seedAccount(pool);
const other = await seedAccount(pool);
const fresh = await seedAccount(pool);
const watchMany = (count: number, { call } = api) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      call('/v1/artists', { ...account, method: 'POST', body: { platform_id: String(4_000 + index) } }),
    ),
  );

async function waitingForLocks(): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'api%' AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting ?? 0;
}

test('waiting writes of a locked account do not use the connections that reads and key lookups need', async () => {
  const blocker = await pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [account.accountId]);
    let settled = false;
    const writes = watchMany(WRITES).finally(() => {
      settled = true;
    });
    await until('a write that waits for the lock', async () => (await waitingForLocks()) > 0);
    for (const path of ['/v1/changes', '/v1/artists', '/v1/usage', '/v1/tools', '/v1/destinations', '/v1/deliveries']) {
      expect([path, (await api.call(path, other)).status]).toEqual([path, 200]);
      expect([path, (await api.call(path, account)).status]).toEqual([path, 200]);
    }
    expect((await api.call('/v1/usage', fresh)).status).toBe(200);
    expect((await api.call('/v1/artists', { ...other, method: 'POST', body: { platform_id: '27' } })).status).toBe(201);
    expect(await waitingForLocks()).toBeLessThanOrEqual(1);
    expect(settled).toBe(false);

    for (const answer of await writes) {
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
      expect(answer.headers['retry-after']).toBe('1');
    }
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

test.each([
  ['GET', '/v1/changes?type=isrc_changed', undefined],
  ['GET', '/v1/changes/counts?since=2026-01-01T00:00:00Z', undefined],
  ['GET', '/v1/changes/feed.atom?q=night', undefined],
  ['POST', '/v1/destinations/preview', { rules: { min_severity: 'critical' } }],
])(
  'many expensive reads by one account leave enough connections for other requests: %s %s',
  async (method, path, body) => {
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE changes');
      const asked = Promise.all(Array.from({ length: WRITES }, () => api.call(path, { ...account, method, body })));
      await until('a read that waits for the lock', async () => (await waitingForLocks()) > 0);
      for (const cheap of ['/v1/usage', '/v1/tools', '/v1/keys', '/v1/members']) {
        expect([cheap, (await api.call(cheap, other)).status]).toEqual([cheap, 200]);
        expect([cheap, (await api.call(cheap, account)).status]).toEqual([cheap, 200]);
        expect(await waitingForLocks()).toBeLessThanOrEqual(1);
      }
      for (const answer of await asked) {
        expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
      }
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  },
);

test('a burst of writes by one account succeeds up to the limit, and further writes get a 503 with Retry-After', async () => {
  expect((await watchMany(WRITES, patientApi)).map(({ status }) => status)).toEqual(Array(WRITES).fill(201));

  const answers = await watchMany(2 * WRITES_AT_ONCE, patientApi);
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(WRITES_AT_ONCE);
  for (const { headers, body } of refused) {
    expect([headers['retry-after'], body.error.code]).toEqual(['1', 'service_unavailable']);
  }
});
