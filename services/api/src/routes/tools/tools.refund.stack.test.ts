import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { beforeEach, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'refund', artists: 2, budget: 'unlimited' });
suite.onEnd(() => simulator.stop());
const toPlatform = await startRelay(simulator.url);
suite.onEnd(() => toPlatform.close());
const toPostgres = await startRelay(suite.databaseUrl);
suite.onEnd(() => toPostgres.close());
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal), {
  DATABASE_URL: toPostgres.url,
  PLATFORM_URL: toPlatform.url,
  PLATFORM_BUDGET: '10000',
});

beforeEach(() => {
  toPlatform.restore();
  toPostgres.restore();
});

/** A look-up that has taken its call of the allowance, and waits for the platform. */
async function lookUpInHand() {
  const { accountId, key } = await seedAccount(pool);
  const used = async (): Promise<number | undefined> =>
    (await pool.query('SELECT used FROM tool_allowances WHERE account_id = $1', [accountId])).rows[0]?.used;
  toPlatform.freeze();
  const answer = api.call('/v1/tools/lookup', {
    method: 'POST',
    key,
    body: { input: 'https://www.deezer.com/track/99999999' },
  });
  await until('the reservation', async () => (await used()) === 1);
  return { accountId, answer, used };
}

const platformsError = { status: 503, body: { error: { code: 'upstream_unavailable' } } };

test('a refund that PostgreSQL breaks off is made all the same, and the answer is of the platform', async () => {
  const { accountId, answer, used } = await lookUpInHand();
  const other = await pool.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT FROM tool_allowances WHERE account_id = $1 FOR UPDATE', [accountId]);
    toPlatform.cut();
    await until('the end of the connection that refunds', async () => {
      const { rows } = await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE tool_allowances%'`,
      );
      return rows.length > 0;
    });
    await other.query('ROLLBACK');
  } finally {
    other.release();
  }
  expect(await answer).toMatchObject(platformsError);
  expect(await used()).toBe(0);
});

test('a refund that cannot be made leaves the answer as it is, and is counted', async () => {
  const { answer } = await lookUpInHand();
  toPostgres.cut();
  toPlatform.cut();
  expect(await answer).toMatchObject(platformsError);
  const metrics = await fetch(`${api.opsUrl}/metrics`, { headers: { Connection: 'close' } });
  expect(await metrics.text()).toContain('api_tool_allowance_total{result="not_given_back",service="api"} 1');
});
