import { artistListSchema } from '@artist-watch/contracts/api/artist';
import { seedAccount, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../../compose.js';
import { readConfig } from '../../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

test('the artists of the account are listed with every field, oldest watch first', async () => {
  const { accountId, key } = await seedAccount(pool);
  const read = new Date(Date.now() - 60_000);
  const first = await seedWatchedArtist(pool, accountId, {
    name: 'Ólafur "Ólo" \\ 坂本',
    platformId: '27',
    followers: 1_234,
    monthlyListeners: 2_000_000_000,
    metricsObservedAt: new Date('2026-05-01T12:00:00.070Z'),
    lastCompleteAt: read,
  });
  const second = await seedWatchedArtist(pool, accountId, { platformId: '28' });
  await seedWatchedArtist(pool, (await seedAccount(pool)).accountId);
  const answer = await api.call('/v1/artists', { key });
  expect(answer.status).toBe(200);
  expect(artistListSchema.parse(answer.body)).toEqual({
    data: [
      {
        id: first,
        platform_id: '27',
        name: 'Ólafur "Ólo" \\ 坂本',
        monthly_listeners: 2_000_000_000,
        followers: 1_234,
        metrics_observed_at: '2026-05-01T12:00:00.070Z',
        status: 'active',
        last_complete_at: read.toISOString(),
        next_read_at: new Date(read.getTime() + 15 * 60_000).toISOString(),
      },
      {
        id: second,
        platform_id: '28',
        name: 'Nina Vale',
        monthly_listeners: 0,
        followers: 0,
        metrics_observed_at: null,
        status: 'pending',
        last_complete_at: null,
        next_read_at: expect.any(String),
      },
    ],
  });
});

test('an account that watches nobody gets an empty list', async () => {
  expect((await api.call('/v1/artists', await seedAccount(pool))).body).toEqual({ data: [] });
});

test('500 artists come in one answer', async () => {
  const { accountId, key } = await seedAccount(pool);
  await pool.query(
    `WITH artist AS (INSERT INTO artists (id, platform, platform_id, name, created_at)
                     SELECT new_id('art', now()), 'deezer', 'many-' || n, 'Artist ' || n, now() FROM generate_series(1, 500) n RETURNING id)
     INSERT INTO watches (id, account_id, artist_id, created_at) SELECT 'wat_' || id, $1, id, now() FROM artist`,
    [accountId],
  );
  expect((await api.call('/v1/artists', { key })).body.data).toHaveLength(500);
});
