import { compose } from '@artist-watch/api/compose';
import { readConfig } from '@artist-watch/api/config';
import {
  type SeededAccount,
  seedAccount,
  seedFeed,
  seedKey,
  seedWatchedArtist,
  startApi,
} from '@artist-watch/harness/api-fixtures';
import { countRoundTrips } from '@artist-watch/harness/count-round-trips';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';

const suite = await useSuite();
const { pool } = suite;
const statements = recordStatements();
const roundTrips = countRoundTrips();
const toPostgres = await startRelay(suite.databaseUrl, statements.observe);
const toRedis = await startRelay(suite.redisUrl, roundTrips.observe);
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal), {
  DATABASE_URL: toPostgres.url,
  REDIS_URL: toRedis.url,
});
suite.onEnd(async () => {
  await api.stop();
  await Promise.all([toPostgres.close(), toRedis.close()]);
});
const redis = new Redis(suite.redisUrl);
suite.onEnd(() => redis.quit());

/** Each process caches the results of these statements. */
const LOOK_UPS = ['find-principal', 'read-confirmed-changes'];

/** Returns the response and the server's queries for it. */
async function watched(path: string, call: Parameters<typeof api.call>[1]) {
  statements.take();
  roundTrips.take();
  const answer = await api.call(path, call);
  return { answer, statements: statements.take(), roundTrips: roundTrips.take() };
}

/**
 * Repeats a request until its key and its changes are cached. `until` would also hide a request that breaks the
 * promise.
 */
async function watchedWithWarmKey(path: string, call: SeededAccount & Parameters<typeof api.call>[1]) {
  for (let attempt = 1; attempt <= 200; attempt += 1) {
    const seen = await watched(path, call);
    expect(seen.roundTrips).toBeLessThanOrEqual(1);
    expect(seen.statements.filter((statement) => !LOOK_UPS.includes(statement)).length).toBeLessThanOrEqual(1);
    if (!seen.statements.some((statement) => LOOK_UPS.includes(statement)) && seen.roundTrips > 0) return seen;
  }
  throw new Error(`No request for ${path} found its key and its changes in the cache while Redis was connected.`);
}

// A server that has just started counts in its process until it has reached Redis.
const visitor = await seedAccount(pool);
await until('the shared count', async () => {
  await api.call('/v1/usage', visitor);
  return (await redis.keys('*')).some((name) => name.includes(visitor.accountId));
});

async function given() {
  const account = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, account.accountId);
  const now = Date.now();
  const instants = Array.from({ length: 250 }, (_, n) => new Date(now - n * 1_000));
  await seedFeed(pool, account.accountId, artistId, instants);
  return account;
}

describe('with a cached key and cached changes, a request costs at most one round trip to Redis and one statement', () => {
  test('GET /v1/changes, its next page and a 304 each cost one Redis round trip and one statement', async () => {
    const account = await given();
    const first = await watchedWithWarmKey('/v1/changes', account);
    expect(first).toMatchObject({ answer: { status: 200 }, statements: ['read-feed-page'], roundTrips: 1 });
    const { data, next_cursor } = first.answer.body as { data: unknown[]; next_cursor: string };
    expect(data).toHaveLength(200);

    const second = await watchedWithWarmKey(`/v1/changes?cursor=${next_cursor}`, account);
    expect(second).toMatchObject({ answer: { status: 200 }, statements: ['read-feed-page'], roundTrips: 1 });
    expect((second.answer.body as { data: unknown[] }).data).toHaveLength(50);

    const headers = { 'If-None-Match': String(second.answer.headers.etag) };
    const held = await watchedWithWarmKey(`/v1/changes?cursor=${next_cursor}`, { ...account, headers });
    expect(held).toMatchObject({ answer: { status: 304 }, statements: ['read-feed-page'], roundTrips: 1 });
  });

  test.each(['/v1/artists', '/v1/usage', '/v1/tools'])(
    'GET %s costs one Redis round trip and one statement',
    async (path) => {
      const { answer, statements, roundTrips } = await watchedWithWarmKey(path, visitor);
      expect([answer.status, statements.length, roundTrips]).toEqual([200, 1, 1]);
    },
  );

  test('many artists in an account do not add round trips or statements', async () => {
    const account = await given();
    for (let more = 0; more < 20; more += 1) await seedWatchedArtist(pool, account.accountId);
    const seen = await watchedWithWarmKey('/v1/changes', account);
    expect(seen).toMatchObject({ answer: { status: 200 }, statements: ['read-feed-page'], roundTrips: 1 });
  });

  test('a request that is rejected for its input, path or plan costs no statement', async () => {
    const account = await seedAccount(pool, 'free');
    for (const [path, status] of [
      ['/v1/changes?since=yesterday', 400],
      ['/v1/nothing', 404],
      ['/v1/destinations', 403],
    ] as const) {
      const seen = await watchedWithWarmKey(path, account);
      expect([seen.answer.status, seen.statements, seen.roundTrips]).toEqual([status, [], 1]);
    }
  });

  test('a request over the rate limit costs no statement', async () => {
    const account = await seedAccount(pool, 'free');
    await until('429', async () => (await api.call('/v1/usage', account)).status === 429);
    const seen = await watchedWithWarmKey('/v1/usage', account);
    expect([seen.answer.status, seen.statements, seen.roundTrips]).toEqual([429, [], 1]);
  });
});

test('a malformed key is rejected without PostgreSQL or Redis', async () => {
  const seen = await watched('/v1/changes', { key: 'aw_live_abcdefghijklmnopqrstuvwxyz0123456789' });
  expect([seen.answer.status, seen.statements, seen.roundTrips]).toEqual([401, [], 0]);
});

test('an uncached key costs one additional statement', async () => {
  const { accountId } = await seedAccount(pool);
  const { key } = await seedKey(pool, accountId);
  const seen = await watched('/v1/changes', { key });
  expect([seen.answer.status, seen.statements]).toEqual([200, ['find-principal', 'read-feed-page']]);
});

describe('the counters of these tests', () => {
  test('the counters of these tests count a second round trip and a second statement', async () => {
    const through = new Redis(toRedis.url);
    await through.ping();
    roundTrips.take();
    await through.get('a');
    await through.get('b');
    expect(roundTrips.take()).toBe(2);
    await through.pipeline().get('a').get('b').exec();
    expect(roundTrips.take()).toBe(1);
    await through.quit();

    const client = new pg.Client({ connectionString: toPostgres.url });
    await client.connect();
    statements.take();
    await client.query({ name: 'named', text: 'SELECT $1::int', values: [1] });
    await client.query({ name: 'named', text: 'SELECT $1::int', values: [2] });
    await client.query('SELECT $1::text', ['a'.repeat(100_000)]);
    await client.query('SELECT 3');
    expect(statements.take()).toEqual(['named', 'named', 'SELECT $1::text', 'SELECT 3']);
    await client.end();
  });
});
