import { randomBytes } from 'node:crypto';
import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '@artist-watch/domain/account/credentials';
import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const relay = await startRelay(suite.databaseUrl);
suite.onEnd(() => relay.close());
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal), { DATABASE_URL: relay.url });

function expectUnavailable(answer: ApiAnswer, limit: string) {
  expect(answer.status).toBe(503);
  expect(errorBodySchema.parse(answer.body).error.code).toBe('service_unavailable');
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  expect(answer.headers['x-ratelimit-limit']).toBe(limit);
  expect(answer.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
  expect(answer.headers['x-request-id']).toMatch(/.+/);
  expect(answer.text).not.toMatch(/postgres|ECONN|127\.0\.0\.1|\n\s+at /i);
}

test.each([
  ['killed', () => relay.cut()],
  ['frozen', () => relay.freeze()],
])(
  'while PostgreSQL is %s, every read gets a 503 error response, and the API recovers without a restart',
  async (_, takeAway) => {
    const known = await seedAccount(suite.pool, 'pro');
    const neverSeen = await seedAccount(suite.pool, 'pro');
    expect((await api.call('/v1/usage', known)).status).toBe(200);

    takeAway();
    const answers = await Promise.all(['/v1/usage', '/v1/artists', '/v1/changes'].map((path) => api.call(path, known)));
    for (const answer of answers) expectUnavailable(answer, '6000');
    expectUnavailable(await api.call('/v1/usage', neverSeen), '60');
    expect((await api.call('/v1/usage')).status).toBe(401);
    // If no replica were ready, the ingress controller would send its own 503, without Retry-After.
    for (const path of ['/readyz', '/livez']) {
      expect((await fetch(`${api.opsUrl}${path}`, { headers: { Connection: 'close' } })).status).toBe(200);
    }
    const metrics = await fetch(`${api.opsUrl}/metrics`, { headers: { Connection: 'close' } });
    expect(await metrics.text()).toContain('artist_watch_database_up{pool="reads",service="api"} 0');

    relay.restore();
    await until('the answer', async () => (await api.call('/v1/usage', known)).status === 200);
    expect((await api.call('/v1/changes', neverSeen)).status).toBe(200);
  },
);

test('a flood of made-up keys gets 503 responses and never uses all database connections', async () => {
  const account = await seedAccount(suite.pool);
  expect((await api.call('/v1/usage', account)).status).toBe(200);
  const blocker = await suite.pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const forged = Array.from({ length: 150 }, () =>
      api.call('/v1/usage', { key: makeApiKey(randomBytes(API_KEY_RANDOM_BYTES)) }),
    );
    await until('lookups to wait', async () => (await waitingLookUps()) > 0);
    expect(await waitingLookUps()).toBeLessThanOrEqual(3);
    for (const answer of await Promise.all(forged)) {
      expectUnavailable(answer, '60');
      expect(answer.headers['retry-after']).toBe('1');
    }
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  expect((await api.call('/v1/usage', account)).status).toBe(200);
});

async function waitingLookUps(): Promise<number> {
  const { rows } = await suite.pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'api' AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting ?? 0;
}
