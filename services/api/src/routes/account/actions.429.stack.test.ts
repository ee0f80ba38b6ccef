import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

test('the API keys of an account can perform 1,000 actions per hour; after that, they can only undo earlier actions', async () => {
  const { accountId, key, keyId } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId);
  const [changeId] = await seedFeed(pool, accountId, artistId, [new Date(Date.now() - 60_000)]);
  const call = (method: string, path: string, body?: unknown) => api.call(`/v1${path}`, { method, key, body });
  const { body: feed } = await call('POST', '/feeds', {});
  const act = (kind: string, count: number, minutesAgo: number) =>
    pool.query(
      `INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_name)
       SELECT new_id('aud', at), $1, at, $2, $3, 'n', 'change.updated', 'n'
         FROM generate_series(1, $4), (SELECT date_trunc('ms', now()) - $5 * interval '1 minute' AS at) instant`,
      [accountId, kind, keyId, count, minutesAgo],
    );
  await act('api_key', 1_000, 61);
  await act('member', 1_000, 1);
  await act('api_key', 998, 15);
  expect(await call('PATCH', `/changes/${changeId}`, { status: 'handled' })).toMatchObject({ status: 200 });

  const refused = await call('PATCH', `/changes/${changeId}`, { status: 'open' });
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  const waitSeconds = Number(refused.headers['retry-after']);
  expect(waitSeconds).toBeGreaterThan(44 * 60);
  expect(waitSeconds).toBeLessThanOrEqual(45 * 60);
  expect((await call('GET', `/changes/${changeId}`)).body.status).toBe('handled');
  expect(await call('POST', '/destinations', { url: 'https://receiver.example/' })).toMatchObject({ status: 429 });
  expect(await call('PATCH', `/changes/${changeId}`, { status: 'handled' })).toMatchObject({ status: 200 });
  expect(await call('DELETE', `/feeds/${feed.id}`)).toMatchObject({ status: 204 });
});
