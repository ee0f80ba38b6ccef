import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';
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

test('a failed refund does not change the response and is counted in a metric', async () => {
  const { accountId, key } = await seedAccount(pool);
  toPlatform.freeze();
  const body = { input: 'https://www.deezer.com/track/99999999' };
  const answer = api.call('/v1/tools/lookup', { method: 'POST', key, body });
  await until('the reservation', async () => {
    const { rows } = await pool.query('SELECT used FROM tool_allowances WHERE account_id = $1', [accountId]);
    return rows[0]?.used === 1;
  });
  toPostgres.cut();
  toPlatform.cut();
  expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'upstream_unavailable' } } });
  const metrics = await fetch(`${api.opsUrl}/metrics`, { headers: { Connection: 'close' } });
  expect(await metrics.text()).toContain(
    'artist_watch_lookup_allowance_total{result="not_given_back",service="api"} 1',
  );
});
