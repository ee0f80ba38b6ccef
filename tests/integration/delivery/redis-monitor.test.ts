import { PassThrough } from 'node:stream';
import { monitorRedis, openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { startRedisServers } from '@artist-watch/harness/redis-servers';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';

const { onEnd } = await useSuite();

async function startMonitored() {
  const { servers, urls, kill, stop } = await startRedisServers(1);
  onEnd(stop);
  const [server, url] = [servers[0], urls[0]];
  if (!server || !url) throw new Error('No server was started.');
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  const metrics = createMetrics({ service: 'api' });
  const redis = openCommandConnection(url);
  onEnd(() => redis.disconnect());
  monitorRedis(redis, { url, log: createLogger({ service: 'api', level: 'info', stream }), metrics });
  await whenReady(redis, 10_000);
  return {
    redis,
    url,
    kill: () => kill(server),
    freeze: () => process.kill(server.pid, 'SIGSTOP'),
    thaw: () => process.kill(server.pid, 'SIGCONT'),
    restart: () => server.restart(),
    readUp: async () => /^artist_watch_redis_up\{[^}]*\} (\d)$/m.exec(await metrics.registry.metrics())?.[1],
    lines: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

test('the loss and the return of Redis are logged once each, and artist_watch_redis_up shows them', async () => {
  const { redis, url, kill, restart, readUp, lines } = await startMonitored();
  expect(await readUp()).toBe('1');

  kill();
  let failedAttempts = 0;
  redis.on('close', () => {
    failedAttempts += 1;
  });
  await expect(redis.get('key')).rejects.toThrow(/Redis/);
  await until('several failed attempts to reconnect', () => failedAttempts > 4);
  expect(await readUp()).toBe('0');
  await restart();
  await until('the connection is restored', async () => (await readUp()) === '1');
  await until('a line about the return', () => lines().length > 1);
  const { host } = new URL(url);
  expect(lines()).toEqual([
    expect.objectContaining({ level: 'warn', event: 'redis.connection_lost', server: host }),
    expect.objectContaining({
      level: 'info',
      event: 'redis.connection_restored',
      server: host,
      lostMs: expect.any(Number),
    }),
  ]);
});

test('artist_watch_redis_up is 0 while Redis is frozen, although the connection is open', async () => {
  const { redis, freeze, thaw, readUp } = await startMonitored();
  freeze();
  try {
    expect(await readUp()).toBe('0');
    await expect(redis.get('key')).rejects.toThrow('Redis did not respond in time.');
  } finally {
    thaw();
  }
  await until('Redis responds again', async () => (await readUp()) === '1');
});

test('a connection that is lost repeatedly is logged at most once in 10 s', async () => {
  const { redis, url, lines } = await startMonitored();
  const admin = new Redis(url);
  onEnd(() => admin.disconnect());
  const startMs = performance.now();
  const losses = 10;
  for (let loss = 0; loss < losses; loss += 1) {
    const closed = new Promise((resolve) => redis.once('close', resolve));
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await closed;
    await whenReady(redis, 10_000);
  }
  const intervals = Math.floor((performance.now() - startMs) / 10_000);
  const logged = lines().filter(({ event }) => event === 'redis.connection_lost').length;
  expect(logged).toBeGreaterThan(0);
  expect(logged).toBeLessThanOrEqual(1 + intervals);
});

test('a connection that its owner closes is not logged as lost', async () => {
  const { redis, lines } = await startMonitored();
  const ended = new Promise((resolve) => redis.once('end', resolve));
  redis.disconnect();
  await ended;
  expect(lines()).toEqual([]);
});
