import { artistListSchema } from '@artist-watch/contracts/api/artist';
import { seedAccount, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

test('the artists of an account are listed with every field, in the order in which they were added', async () => {
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
    next_cursor: null,
    data: [
      {
        id: first,
        platform_id: '27',
        name: 'Ólafur "Ólo" \\ 坂本',
        monthly_listeners: 2_000_000_000,
        followers: 1_234,
        metrics_observed_at: '2026-05-01T12:00:00.070Z',
        status: 'active',
        merged_into: null,
        stale_reason: null,
        last_complete_at: read.toISOString(),
        next_read_at: new Date(read.getTime() + 15 * 60_000).toISOString(),
        watched_since: expect.any(String),
        platform_url: 'https://www.deezer.com/artist/27',
        metrics: { followers: 'available', monthly_listeners: 'available' },
        group_ids: [],
      },
      {
        id: second,
        platform_id: '28',
        name: 'Nina Vale',
        monthly_listeners: 0,
        followers: 0,
        metrics_observed_at: null,
        status: 'pending',
        merged_into: null,
        stale_reason: null,
        last_complete_at: null,
        next_read_at: expect.any(String),
        watched_since: expect.any(String),
        platform_url: 'https://www.deezer.com/artist/28',
        metrics: { followers: 'unavailable', monthly_listeners: 'unavailable' },
        group_ids: [],
      },
    ],
  });
});

test('an account that watches no artists gets an empty list', async () => {
  expect((await api.call('/v1/artists', await seedAccount(pool))).body).toEqual({ data: [], next_cursor: null });
});

test('500 artists fit into one response', async () => {
  const { accountId, key } = await seedAccount(pool);
  await pool.query(
    `WITH artist AS (INSERT INTO artists (id, platform, platform_id, name, created_at)
                     SELECT new_id('art', now()), 'deezer', 'many-' || n, 'Artist ' || n, now() FROM generate_series(1, 500) n RETURNING id)
     INSERT INTO watches (id, account_id, artist_id, created_at) SELECT 'wat_' || id, $1, id, now() FROM artist`,
    [accountId],
  );
  expect((await api.call('/v1/artists', { key })).body.data).toHaveLength(500);
});

test('a paginated list contains every artist exactly once and keeps its filters', async () => {
  const { accountId, key } = await seedAccount(pool);
  const complete = new Date();
  const seeds = ['Ölga Ray', 'ölga', 'Ray Ölga', 'Nina'].map((name) => ({ name, lastCompleteAt: complete }));
  const ids: string[] = [];
  for (const seed of seeds) ids.push(await seedWatchedArtist(pool, accountId, seed));
  const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name);
  const list = (query: string) => api.call(`/v1/artists?${query}`, { key });

  const first = await list(`q=${encodeURIComponent('ÖLGA ray')}&limit=1`);
  expect(names(first)).toEqual(['Ölga Ray']);
  const { next_cursor: cursor } = first.body;
  expect(first.headers.link).toBe(`</v1/artists?cursor=${cursor}&limit=1>; rel="next"`);
  const second = await list(`cursor=${cursor}`);
  expect([names(second), second.body.next_cursor]).toEqual([['Ray Ölga'], null]);

  expect(names(await list(`q=${ids[3]}`))).toEqual(['Nina']);
  expect(names(await list('status=active&limit=3'))).toEqual(['Ölga Ray', 'ölga', 'Ray Ölga']);
  expect(names(await list('status=stale'))).toEqual([]);
  for (const [query, code] of [
    [`cursor=${cursor}&q=other`, 'invalid_cursor'],
    ['cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'invalid_cursor'],
    ['limit=0', 'invalid_limit'],
    ['status=gone', 'invalid_input'],
    [`q=${'x'.repeat(201)}`, 'invalid_input'],
  ]) {
    const refused = await list(query as string);
    expect([query, refused.status, refused.body.error.code]).toEqual([query, 400, code]);
  }
  const other = await seedAccount(pool);
  expect((await api.call(`/v1/artists?cursor=${cursor}`, other)).status).toBe(400);
});

test('`q` must not contain control characters, and matches names regardless of accents, case and normalization form', async () => {
  const { accountId, key } = await seedAccount(pool);
  await seedWatchedArtist(pool, accountId, { name: 'Ólafur' });
  const list = (q: string) => api.call(`/v1/artists?q=${encodeURIComponent(q)}`, { key });
  expect(await list('Ola\0fur')).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
  for (const q of ['Ólafur'.normalize('NFD'), 'olafur', 'OLÁFUR']) {
    expect((await list(q)).body.data).toMatchObject([{ name: 'Ólafur' }]);
  }
});
