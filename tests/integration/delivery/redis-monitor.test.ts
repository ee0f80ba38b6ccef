import { PassThrough } from 'node:stream';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { monitorRedis } from '@artist-watch/delivery/queue/redis-monitor';
import { startRedisServers } from '@artist-watch/harness/redis-servers';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';

const { onEnd } = await useSuite();

test('a lost Redis is one line that names the server, its return is another, and redis_up follows both', async () => {
  const { servers, urls, kill, stop } = await startRedisServers(1);
  onEnd(stop);
  const [server, url] = [servers[0], urls[0]];
  if (!server || !url) throw new Error('no server');
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
  const isUp = async () => /^redis_up\{[^}]*\} (\d)$/m.exec(await metrics.registry.metrics())?.[1];
  expect(await isUp()).toBe('1');

  kill(server);
  await until('a line about the loss', () => text.includes('redis.connection_lost'));
  expect(await isUp()).toBe('0');
  await server.restart();
  await until('a line about the return', () => text.includes('redis.connection_restored'));
  expect(await isUp()).toBe('1');
  const lines = text.trim().split('\n');
  const { host } = new URL(url);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', event: 'redis.connection_lost', server: host }),
    expect.objectContaining({ level: 'info', event: 'redis.connection_restored', server: host }),
  ]);
});
