import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '@artist-watch/domain/account/credentials';
import { seedAccount, seedKey, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const start = (settings: Record<string, string> = {}) =>
  startApi(suite, (env, signal) => compose(readConfig(env), signal), settings);
const api = await start();
const { key } = await seedAccount(pool);
const unknown = makeApiKey(new Uint8Array(API_KEY_RANDOM_BYTES));

const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;

describe('requests that are rejected with a 401', () => {
  test.each([
    ['without a key', {}, 'Bearer realm="artist-watch"'],
    ['with a different scheme', { Authorization: `Basic ${key}` }, 'Bearer realm="artist-watch"'],
    ['with the key but no scheme', { Authorization: key }, 'Bearer realm="artist-watch"'],
    [
      'with a mistyped key',
      { Authorization: `Bearer ${mistyped}` },
      'Bearer realm="artist-watch", error="invalid_token"',
    ],
    [
      'with an unknown key',
      { Authorization: `Bearer ${unknown}` },
      'Bearer realm="artist-watch", error="invalid_token"',
    ],
    [
      'with a token that is not a key',
      { Authorization: 'Bearer x' },
      'Bearer realm="artist-watch", error="invalid_token"',
    ],
  ])('%s', async (_, headers: Record<string, string>, challenge) => {
    const answer = await api.call('/v1/usage', { headers });
    expect(answer.status).toBe(401);
    expect(errorBodySchema.parse(answer.body).error.code).toBe('unauthorized');
    expect(answer.headers['www-authenticate']).toBe(challenge);
    expect(answer.headers['x-ratelimit-limit']).toBe('60');
    expect(Number(answer.headers['x-ratelimit-remaining'])).toBeLessThan(60);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a key in the query string is rejected with a 401', async () => {
    expect((await api.call(`/v1/usage?api_key=${key}&access_token=${key}`)).status).toBe(401);
  });

  test('a 401 does not reveal whether the URL or the method exists', async () => {
    const answers = await Promise.all([
      api.call('/'),
      api.call('/v1/nothing'),
      api.call('/v1/usage', { method: 'OPTIONS' }),
      api.call('/v1/usage', { method: 'DELETE' }),
      api.call('/v1/changes?since=never'),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401]);
  });

  test('a request without a key gets a 401 however often it is sent, and never a 429', async () => {
    const other = await start();
    const answers = await Promise.all(Array.from({ length: 80 }, () => other.call('/v1/usage')));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([401]));
    const remaining = answers.map((answer) => Number(answer.headers['x-ratelimit-remaining']));
    expect([Math.max(...remaining), Math.min(...remaining)]).toEqual([59, 0]);
  });
});

test.each([
  ['without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['without a key', 'GET /v1/usage HTTP/1.1\r\nHost: a\r\n\r\n', 401],
])(
  'of 1,000 pipelined requests %s, at most two are processed and only one gets a response',
  async (_, request, status) => {
    const starts: unknown[] = [];
    const note = (message: unknown) => starts.push(message);
    subscribe('http.server.request.start', note);
    const socket = connect(api.port, '127.0.0.1', () => socket.write(request.repeat(1_000)));
    socket.on('error', () => undefined);
    try {
      expect((await buffer(socket)).toString().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
      expect(starts.length).toBeLessThanOrEqual(2);
    } finally {
      unsubscribe('http.server.request.start', note);
      socket.destroy();
    }
  },
);

describe('callers without a key', () => {
  const remaining = async (replica: Awaited<ReturnType<typeof start>>, forwardedFor: string) => {
    const answer = await replica.call('/v1/usage', { headers: { 'X-Forwarded-For': forwardedFor } });
    expect(answer.status).toBe(401);
    return Number(answer.headers['x-ratelimit-remaining']);
  };

  test('a caller cannot change its IP address with X-Forwarded-For', async () => {
    const replica = await start();
    expect(await remaining(replica, '203.0.113.1')).toBe(59);
    expect(await remaining(replica, '203.0.113.2')).toBe(58);
  });

  test('a caller is identified by the IP address that a load balancer in TRUSTED_PROXY_CIDRS reports', async () => {
    const replica = await start({ TRUSTED_PROXY_CIDRS: '127.0.0.0/8, 10.0.0.0/8' });
    expect(await remaining(replica, '203.0.113.1')).toBe(59);
    expect(await remaining(replica, '203.0.113.2, 10.0.0.1')).toBe(59);
    expect(await remaining(replica, '203.0.113.1, 203.0.113.2')).toBe(58);
    expect(await remaining(replica, 'nonsense')).toBe(59);
  });
});

describe('accepted credentials', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'a key is accepted with the scheme written %s',
    async (scheme) => {
      expect((await api.call('/v1/usage', { headers: { Authorization: `${scheme} ${key}` } })).status).toBe(200);
    },
  );

  test('any API key of the account is accepted', async () => {
    const account = await seedAccount(pool);
    const second = await seedKey(pool, account.accountId);
    expect((await api.call('/v1/usage', second)).status).toBe(200);
  });
});

test('a malformed key does not cause a database query', async () => {
  const statements = async () => {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT (xact_commit + xact_rollback)::int AS n FROM pg_stat_database WHERE datname = current_database()`,
    );
    return rows[0]?.n ?? 0;
  };
  const other = await start();
  await other.call('/v1/usage', { key });
  await pool.query('SELECT pg_stat_force_next_flush()');
  const before = await statements();
  for (let request = 0; request < 200; request += 1) await other.call('/v1/usage', { key: mistyped });
  // The bound is not 0, because this test's own statements are counted as transactions too.
  expect((await statements()) - before).toBeLessThan(20);
});

test('an expired key is rejected with a 401 that says when it expired, even if it was in use until then', async () => {
  const clock = new TestClock('2026-05-01T12:00:00.000Z');
  const own = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));
  const account = await seedAccount(pool);
  await pool.query("UPDATE api_keys SET expires_at = '2026-05-01T12:00:01.000Z' WHERE id = $1", [account.keyId]);
  expect((await own.call('/v1/usage', account)).status).toBe(200);
  clock.advance(999);
  expect((await own.call('/v1/usage', account)).status).toBe(200);
  clock.advance(1);
  const expired = await own.call('/v1/usage', account);
  expect(expired).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  expect(expired.body.error.message).toBe('This API key expired at 2026-05-01T12:00:01.000Z. Create a new one.');
  expect(expired.headers['www-authenticate']).toBe('Bearer realm="artist-watch", error="invalid_token"');
});

test('every replica rejects a revoked key within a second, even if the key is in constant use', async () => {
  const replicas = await Promise.all([start(), start(), start()]);
  const account = await seedAccount(pool);
  for (const replica of replicas) expect((await replica.call('/v1/usage', account)).status).toBe(200);
  await pool.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [account.keyId]);
  const revokedAtMs = performance.now();
  await Promise.all(
    replicas.map((replica) =>
      until('the refusal', async () => (await replica.call('/v1/usage', account)).status === 401, 1_000),
    ),
  );
  expect(performance.now() - revokedAtMs).toBeLessThan(1_000);
});

test('the limits of a new plan apply within a second', async () => {
  const account = await seedAccount(pool, 'free');
  expect((await api.call('/v1/usage', account)).headers['x-ratelimit-limit']).toBe('60');
  await pool.query(`UPDATE accounts SET plan = 'starter' WHERE id = $1`, [account.accountId]);
  await until(
    'the new limit',
    async () => (await api.call('/v1/usage', account)).headers['x-ratelimit-limit'] === '600',
    1_000,
  );
});
