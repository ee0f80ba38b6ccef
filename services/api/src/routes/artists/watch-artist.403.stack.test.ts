import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { accountWaitMs: 60_000 }));

test('concurrent requests never add more artists than the plan allows', async () => {
  const { key } = await seedAccount(suite.pool, 'starter');
  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, n) =>
      api.call('/v1/artists', { method: 'POST', key, body: { platform_id: `1${n}` } }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
  for (const answer of answers.filter((refused) => refused.status !== 201)) {
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'plan_limit_reached' } } });
  }
  expect((await api.call('/v1/usage', { key })).body.artists).toEqual({ used: 10, limit: 10 });
});

test('an account can add at most five times its artist limit per UTC day', async () => {
  const { accountId, key } = await seedAccount(suite.pool, 'free');
  await suite.pool.query(
    `INSERT INTO watch_allowances SELECT $1, (now() AT TIME ZONE 'UTC')::date + n, 5 FROM generate_series(0, 1) n`,
    [accountId],
  );
  const answer = await api.call('/v1/artists', { method: 'POST', key, body: { platform_id: '27' } });
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'plan_limit_reached' } } });
  expect(answer.body.error.message).toContain('5 new artists a day');
});

test("an artist that has been missing from the platform for an hour does not count toward the plan's limit", async () => {
  const { key } = await seedAccount(suite.pool, 'free');
  const watch = (platformId: string) =>
    api.call('/v1/artists', { method: 'POST', key, body: { platform_id: platformId } });
  const unknown = await watch('404404');
  expect((await watch('27')).status).toBe(403);
  const notFoundFor = async (interval: string) => {
    const text = `UPDATE artists SET not_found_since = now() - $2::interval, last_polled_at = now() WHERE id = $1`;
    await suite.pool.query(text, [unknown.body.id, interval]);
    await suite.pool.query('UPDATE watches SET created_at = now() - $2::interval WHERE artist_id = $1', [
      unknown.body.id,
      interval,
    ]);
  };
  await notFoundFor('59 minutes');
  expect((await api.call('/v1/artists', { key })).body.data).toMatchObject([{ status: 'not_found' }]);
  expect((await watch('27')).status).toBe(403);
  await notFoundFor('61 minutes');
  expect((await api.call('/v1/usage', { key })).body.artists).toEqual({ used: 0, limit: 1 });
  expect((await watch('27')).status).toBe(201);
  expect((await watch('28')).status).toBe(403);
});
