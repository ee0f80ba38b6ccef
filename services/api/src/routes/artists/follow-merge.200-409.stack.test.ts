import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

const merge = (artistId: string, into: string) =>
  pool.query('UPDATE artists SET merged_into = $2, last_polled_at = now() WHERE id = $1', [artistId, into]);
const follow = (id: string, key: string) => api.call(`/v1/artists/${id}/follow-merge`, { method: 'POST', key });
const listed = async (key: string) => (await api.call('/v1/artists', { key })).body.data;

test('`merged_into` contains the id of the replacement, which can be watched instead even if the plan is full', async () => {
  const { accountId, key } = await seedAccount(pool, 'free');
  const artistId = await seedWatchedArtist(pool, accountId, { platformId: '100' });
  await seedFeed(pool, accountId, artistId, [new Date()]);
  await merge(artistId, '101');
  expect(await listed(key)).toMatchObject([{ id: artistId, status: 'merged', merged_into: '101' }]);
  expect(await follow(artistId, key)).toMatchObject({
    status: 200,
    body: { platform_id: '101', status: 'pending', merged_into: null },
  });
  expect(await listed(key)).toMatchObject([{ platform_id: '101' }]);
  expect((await api.call('/v1/changes', { key })).body.data).toHaveLength(1);
  const { rows } = await pool.query('SELECT platform_id FROM artists WHERE next_poll_at IS NOT NULL');
  expect(rows).toEqual([{ platform_id: '101' }]);
});

test('following a merge replaces the artist in the rules of destinations', async () => {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId, { platformId: '200' });
  const other = await seedWatchedArtist(pool, accountId, { platformId: '201' });
  const ruled = async (artistIds: readonly string[]) => {
    const body = { url: 'https://hooks.label.example/in', rules: { artist_ids: artistIds } };
    return (await api.call('/v1/destinations', { method: 'POST', key, body })).body.id;
  };
  const ids = [await ruled([artistId]), await ruled([artistId, other]), await ruled([])];
  await merge(artistId, '201');
  expect((await follow(artistId, key)).body).toMatchObject({ id: other });
  const rules = ids.map(async (id) => (await api.call(`/v1/destinations/${id}`, { key })).body.rules.artist_ids);
  expect(await Promise.all(rules)).toEqual([[other], [other], []]);
});

test('adding the id of a merged artist, alone or in a list, starts watching its replacement', async () => {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, (await seedAccount(pool)).accountId, { platformId: '300' });
  await merge(artistId, '301');
  const add = (path: string, body: unknown) => api.call(path, { method: 'POST', key, body });
  expect(await add('/v1/artists', { platform_id: '300' })).toMatchObject({ status: 201, body: { platform_id: '301' } });
  expect(await add('/v1/artists', { platform_id: '301' })).toMatchObject({ status: 200 });
  const { body } = await add('/v1/artists/bulk', { artists: ['300', '302'] });
  expect(body.data).toMatchObject([
    { result: 'already_watched', artist: { platform_id: '301' } },
    { result: 'watched', artist: { platform_id: '302' } },
  ]);
  const { rows } = await pool.query('SELECT count(*)::int AS n FROM watches WHERE account_id = $1', [accountId]);
  expect(rows).toEqual([{ n: 2 }]);
});

test("following a merge gets a 409 for an artist that was not merged, and a 404 for another account's artist", async () => {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId, { platformId: '400' });
  expect(await follow(artistId, key)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  const foreign = await seedWatchedArtist(pool, (await seedAccount(pool)).accountId, { platformId: '401' });
  await merge(foreign, '402');
  expect(await follow(foreign, key)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(await listed(key)).toHaveLength(1);
});
