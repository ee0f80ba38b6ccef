import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

test('an artist that is no longer watched is not listed, but its changes stay in the feed', async () => {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId);
  await seedFeed(pool, accountId, artistId, [new Date()]);
  expect(await api.call(`/v1/artists/${artistId}`, { method: 'DELETE', key })).toMatchObject({ status: 204, text: '' });
  expect((await api.call('/v1/artists', { key })).body.data).toEqual([]);
  expect((await api.call('/v1/changes', { key })).body.data).toHaveLength(1);
  expect((await api.call(`/v1/artists/${artistId}`, { method: 'DELETE', key })).status).toBe(404);
});

test("another account's artist and an invalid id return the same 404", async () => {
  const [mine, yours] = await Promise.all([seedAccount(pool), seedAccount(pool)]);
  const theirs = await seedWatchedArtist(pool, yours.accountId);
  const ids = [theirs, `art_${'0'.repeat(32)}`, 'art_1', '27', 'dst_1', '%00', "art_'--"];
  const answers = await Promise.all(
    ids.map((id) => api.call(`/v1/artists/${id}`, { method: 'DELETE', key: mine.key })),
  );
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    expect(answer.body).toEqual(answers[0]?.body);
  }
  expect((await api.call('/v1/artists', { key: yours.key })).body.data).toHaveLength(1);
});
