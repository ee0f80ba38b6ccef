import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const watch = (key: string, body: unknown) => api.call('/v1/artists', { method: 'POST', key, body });

test('a newly watched artist is listed, and its first observation is due', async () => {
  const { key } = await seedAccount(pool);
  const answer = await watch(key, { platform_id: '27' });
  expect(answer).toMatchObject({
    status: 201,
    body: {
      platform_id: '27',
      name: '27',
      followers: 0,
      monthly_listeners: 0,
      metrics_observed_at: null,
      status: 'pending',
      last_complete_at: null,
    },
  });
  expect((await api.call('/v1/artists', { key })).body.data).toEqual([answer.body]);
  const { rows } = await pool.query('SELECT 1 FROM artists WHERE id = $1 AND next_poll_at <= now()', [answer.body.id]);
  expect(rows).toHaveLength(1);
});

test('watching an artist again changes nothing and returns a 200', async () => {
  const { key } = await seedAccount(pool, 'free');
  const first = await watch(key, { platform_id: '28' });
  const second = await watch(key, { platform_id: '28' });
  expect([first.status, second.status]).toEqual([201, 200]);
  expect(second.body).toEqual(first.body);
});

test('two accounts can watch the same artist', async () => {
  const [mine, yours] = await Promise.all([seedAccount(pool), seedAccount(pool)]);
  const first = await watch(mine.key, { platform_id: '29' });
  const second = await watch(yours.key, { platform_id: '29' });
  expect(second).toMatchObject({ status: 201, body: { id: first.body.id } });
});

test.each([
  'https://www.deezer.com/artist/30',
  'deezer.com/us/artist/30',
  'HTTP://WWW.DEEZER.COM:80/fr/artist/30/?utm=x#top',
])('an artist can be watched by its URL: %s', async (url) => {
  const { key } = await seedAccount(pool);
  expect(await watch(key, { url })).toMatchObject({ status: 201, body: { platform_id: '30' } });
});
