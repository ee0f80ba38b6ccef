import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));
const account = await seedAccount(suite.pool);
const artistId = await seedWatchedArtist(suite.pool, account.accountId);
await seedFeed(suite.pool, account.accountId, artistId, [
  new Date('2026-05-31T10:00:00.000Z'),
  new Date('2026-05-31T11:00:00.000Z'),
]);
const cursor: string = (await api.call('/v1/changes?limit=1&since=2026-05-31T00:00:00Z', account)).body.next_cursor;

async function codeOf(query: string, caller = account): Promise<string> {
  const answer = await api.call(`/v1/changes?${query}`, caller);
  expect(answer.status).toBe(400);
  expect(answer.headers['x-ratelimit-limit']).toBe('60000');
  return errorBodySchema.parse(answer.body).error.code;
}

test.each([
  'since=',
  'since=2026-05-31',
  'since=2026-05-31T10:00:00',
  'since=2026-05-31+10:00:00Z',
  'since=2026-02-30T10:00:00Z',
  'since=1777636800',
  'since=2026-05-31T10:00:00Z%00',
  'since=%FF',
  'since=2026-05-31T10:00:00Z&since=2026-05-31T10:00:00Z',
])('%s is rejected as invalid_since', async (query) => {
  expect(await codeOf(query)).toBe('invalid_since');
});

test.each(['/v1/changes', '/v1/changes/counts', '/v1/changes/export', '/v1/deliveries'])(
  '%s rejects a "since" after "until" as invalid_since',
  async (path) => {
    const between = (since: string, until: string) => api.call(`${path}?since=${since}&until=${until}`, account);
    const { status, body } = await between('2026-05-31T10:00:00.001Z', '2026-05-31T10:00:00Z');
    expect([status, body.error.code]).toEqual([400, 'invalid_since']);
    expect((await between('2026-05-31T10:00:00Z', '2026-05-31T10:00:00Z')).status).toBe(200);
  },
);

test.each([
  'limit=0',
  'limit=201',
  'limit=-1',
  'limit=1.5',
  'limit=1e2',
  'limit=0x10',
  'limit=',
  'limit=all',
  'limit=%2B5',
  'limit=05',
  'limit=1&limit=1',
])('%s is rejected as invalid_limit', async (query) => {
  expect(await codeOf(query)).toBe('invalid_limit');
});

test.each([
  ['empty', ''],
  ['made up', 'AAAA'],
  ['truncated', cursor.slice(0, -1)],
  ['changed', `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`],
  ['padded', `${cursor}=`],
  ['a NUL character', '%00'],
  ['repeated', `${cursor}&cursor=${cursor}`],
  ['combined with a different since', `${cursor}&since=2026-05-31T00:00:01Z`],
])('a cursor that is %s is rejected as invalid_cursor', async (_, value) => {
  expect(await codeOf(`cursor=${value}`)).toBe('invalid_cursor');
});

test('a cursor of another account is rejected as invalid_cursor', async () => {
  expect(await codeOf(`cursor=${cursor}`, await seedAccount(suite.pool))).toBe('invalid_cursor');
});
