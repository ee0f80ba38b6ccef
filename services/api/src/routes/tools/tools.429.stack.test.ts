import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-01T23:59:30.200Z');
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'spent', artists: 2, budget: 'unlimited' });
suite.onEnd(() => simulator.stop());
const egress = await startScriptedProxy('reset');
suite.onEnd(() => egress.close());
const start = () =>
  startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }), {
    PLATFORM_URL: simulator.url,
    PLATFORM_BUDGET: '100000',
    EGRESS_PROXY_URLS: egress.url,
  });
const replicas = [await start(), await start()] as const;

test('concurrent lookups on several replicas use exactly the remaining allowance', async () => {
  const { accountId, key } = await seedAccount(pool);
  await pool.query(`INSERT INTO tool_allowances (account_id, day, used) VALUES ($1, '2026-05-01', 993)`, [accountId]);
  const call = { method: 'POST', key, body: { input: 'https://www.deezer.com/track/99999999' } };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => replicas[n % 2 === 0 ? 0 : 1].call('/v1/tools/lookup', call)),
  );
  expect(answers.filter((answer) => answer.status === 404)).toHaveLength(7);
  for (const answer of answers.filter((spent) => spent.status !== 404)) {
    expect(answer).toMatchObject({ status: 429, body: { error: { code: 'daily_allowance_exceeded' } } });
    expect(answer.headers['retry-after']).toBe('30');
    expect(Number(answer.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
  }
  const { allowance } = (await replicas[0].call('/v1/tools', { key })).body;
  expect(allowance).toMatchObject({ used: 1_000, remaining: 0 });

  clock.set('2026-05-02T00:00:00.000Z');
  expect((await replicas[0].call('/v1/tools/lookup', call)).status).toBe(404);
  expect((await replicas[0].call('/v1/tools', { key })).body.allowance).toMatchObject({
    used: 1,
    resets_at: '2026-05-03T00:00:00.000Z',
  });
});

test('a short link is followed only if the allowance is not used up', async () => {
  const { accountId, key } = await seedAccount(pool);
  const call = { method: 'POST', key, body: { input: 'https://link.deezer.com/s/abc' } };
  const day = clock.now().toISOString().slice(0, 10);
  await pool.query('INSERT INTO tool_allowances (account_id, day, used) VALUES ($1, $2, 1000)', [accountId, day]);
  expect(await replicas[0].call('/v1/tools/lookup', call)).toMatchObject({
    status: 429,
    body: { error: { code: 'daily_allowance_exceeded' } },
  });
  expect(egress.connects).toEqual([]);

  await pool.query('UPDATE tool_allowances SET used = 999 WHERE account_id = $1', [accountId]);
  // The proxy resets the connection, so the call is refunded.
  expect(await replicas[0].call('/v1/tools/lookup', call)).toMatchObject({
    status: 502,
    body: { error: { code: 'upstream_error' } },
  });
  expect(egress.connects).toEqual(['link.deezer.com:443']);
  expect((await replicas[0].call('/v1/tools', { key })).body.allowance).toMatchObject({ used: 999 });
});
