import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { reportedRemoval } from '@artist-watch/harness/json-calls';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';
import { TOKEN, watching } from './ingest-fixture.js';

const { databaseUrl, redisUrl, keyPrefix, pool, onEnd } = await useSuite();
const main = fileURLToPath(import.meta.resolve('@artist-watch/change-ingest/main'));
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'process', artists: 3 });
onEnd(() => simulator.stop());

const settings = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  REDIS_KEY_PREFIX: keyPrefix,
  INGEST_TOKEN: TOKEN,
  INGEST_PORT: '0',
  OPS_PORT: '0',
  LISTEN_HOST: '127.0.0.1',
  PLATFORM_URL: simulator.url,
  CONFIRM_SPAN: '300ms',
  CONFIRM_INTERVAL: '150ms',
  // Polls that are due every 15 minutes take 0.9 s.
  POLL_INTERVAL_FACTOR: '0.001',
  LOG_LEVEL: 'warn',
};

function run(over: Record<string, string | undefined> = {}) {
  const child = fork(main, { env: { ...settings, ...over }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  onEnd(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'close').then(([code]) => ({ code, stderr }));
  return { child, exited };
}

async function started(over: Record<string, string> = {}) {
  const { child, exited } = run(over);
  const [message] = (await once(child, 'message')) as [{ addresses: { ingest: number; ops: number } }];
  return { child, exited, ...message.addresses };
}

test('a removed release becomes a waiting delivery without any request to change-ingest', async () => {
  const [artist] = simulator.state.artists();
  const artistId = artist?.id ?? '';
  await watching(pool, { accountId: 'acc_1', artistPlatformId: artistId, now: new Date() });
  const { child, exited, ops } = await started();
  await until('the tracks to be known', async () => {
    const { rows } = await pool.query(`SELECT 1 FROM baselines WHERE length(digest) > 0`);
    return rows.length > 0;
  });
  const [release] = simulator.state.releasesOf(artistId);
  simulator.state.changeRelease(release?.id ?? '', { removed: true });
  const change = await until('the change', async () => (await pool.query('SELECT * FROM changes')).rows[0]);
  expect(change).toMatchObject({ type: 'release_removed', entity_id: release?.id });
  await until(
    'the confirmation of the change',
    async () => (await pool.query('SELECT 1 FROM feed_items')).rows.length > 0,
  );
  const metrics = await until('the metrics to show the change', async () => {
    const text = await (await fetch(`http://127.0.0.1:${ops}/metrics`)).text();
    return /^artist_watch_changes_confirmed_total\{source="poll",service="change-ingest"\} 1$/m.test(text) && text;
  });
  expect(metrics).toMatch(/^artist_watch_artists_watched\{service="change-ingest"\} 1$/m);
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, stderr: '' });
  expect((await pool.query('SELECT 1 FROM artists WHERE poll_claimed_until IS NOT NULL')).rowCount).toBe(0);
});

test('a request in progress at SIGTERM gets its response', async () => {
  const { child, exited, ingest } = await started();
  const lock = await pool.connect();
  await lock.query('BEGIN; LOCK TABLE changes IN ACCESS EXCLUSIVE MODE');
  const reported = fetch(`http://127.0.0.1:${ingest}/ingest/v1/changes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes: [reportedRemoval('e1')] }),
  });
  await until('the request to wait', async () => {
    const { rows } = await pool.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
    return rows.length > 0;
  });
  child.kill('SIGTERM');
  await lock.query('COMMIT');
  lock.release();
  expect((await reported).status).toBe(202);
  expect((await exited).code).toBe(0);
});

test('without PostgreSQL and Redis, change-ingest stays ready, responds with 503 and Retry-After, and a metric shows the outage', async () => {
  const [postgres, redis] = await Promise.all([startRelay(databaseUrl), startRelay(redisUrl)]);
  onEnd(() => Promise.all([postgres.close(), redis.close()]));
  const { child, exited, ingest, ops } = await started({ DATABASE_URL: postgres.url, REDIS_URL: redis.url });
  const get = (path: string) => fetch(`http://127.0.0.1:${ops}${path}`);
  const report = () =>
    fetch(`http://127.0.0.1:${ingest}/ingest/v1/changes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ changes: [reportedRemoval('e2')] }),
    });
  postgres.cut();
  redis.cut();
  const answer = await report();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect((await get('/readyz')).status).toBe(200);
  expect(await (await get('/metrics')).text()).toContain(
    'artist_watch_database_up{pool="all",service="change-ingest"} 0',
  );

  // Reporting changes needs only PostgreSQL. Redis is still down.
  postgres.restore();
  await until('the response', async () => (await report()).status === 202);
  expect((await get('/readyz')).status).toBe(200);
  child.kill('SIGKILL');
  await exited;
});

test.each([
  [
    'all invalid settings',
    { INGEST_TOKEN: '', PLATFORM: 'tidal', CONFIRM_SPAN: 'soon' },
    /INGEST_TOKEN is missing.*tidal.*soon/,
  ],
  [
    'an unreachable database',
    { DATABASE_URL: 'postgres://127.0.0.1:9/x' },
    /PostgreSQL at 127\.0\.0\.1:9 \(DATABASE_URL\)/,
  ],
  ['an unreachable Redis', { REDIS_URL: 'redis://127.0.0.1:9' }, /Redis at 127\.0\.0\.1:9 \(REDIS_URL\)/],
  ['the missing Spotify credentials', { PLATFORM: 'spotify' }, /SPOTIFY_CLIENT_ID/],
])('a failed start has a one-sentence message that names %s', async (_what, over, sentence) => {
  const { code, stderr } = await run(over).exited;
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toContain(TOKEN);
});

test('a port in use is reported in one sentence', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const { code, stderr } = await run({ INGEST_PORT: String(port) }).exited;
  taken.close();
  expect([code, stderr]).toEqual([1, `change-ingest: Port ${port} (INGEST_PORT) is already in use.\n`]);
});
