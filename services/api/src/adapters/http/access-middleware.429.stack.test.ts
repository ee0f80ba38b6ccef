import { connect } from 'node:net';
import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, seedKey, startApi } from '@artist-watch/harness/api-fixtures';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const start = (settings = {}) => startApi(suite, (env, signal) => compose(readConfig(env), signal), settings);
const [api, other] = await Promise.all([start(), start()]);
const redis = new Redis(suite.redisUrl);
suite.onEnd(() => redis.quit());
const relay = await startRelay(suite.redisUrl);
suite.onEnd(() => relay.close());

const counterOf = (accountId: string) => `artist-watch:requests:${accountId}`;
const admitted = (answers: readonly ApiAnswer[]) => answers.filter((answer) => answer.status !== 429).length;
const remaining = (answer: ApiAnswer) => Number(answer.headers['x-ratelimit-remaining']);

describe('the hourly limit', () => {
  test('exactly 60 of 100 parallel requests from a Free account are admitted, across all replicas and keys', async () => {
    const account = await seedAccount(pool, 'free');
    const second = await seedKey(pool, account.accountId);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, turn) => (turn % 2 ? api : other).call('/v1/usage', turn % 3 ? account : second)),
    );
    expect(admitted(answers)).toBe(60);
    const shown = answers.filter((answer) => answer.status === 200).map(remaining);
    expect(shown.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n));
    for (const refused of answers.filter((answer) => answer.status === 429)) {
      expect(errorBodySchema.parse(refused.body).error.code).toBe('rate_limited');
      expect(refused.headers['x-ratelimit-limit']).toBe('60');
      expect(remaining(refused)).toBe(0);
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
      const reset = Number(refused.headers['x-ratelimit-reset']);
      expect([0, 1]).toContain(Number(refused.headers['retry-after']) - reset);
      const seconds = Number(refused.headers['retry-after']).toLocaleString('en-US');
      expect(refused.body.error.message).toBe(
        `Rate limit reached: 60 requests an hour on Free. Try again in ${seconds} s.`,
      );
    }
  });

  test('every request counts, including requests that get an error', async () => {
    const account = await seedAccount(pool);
    const calls = [
      api.call('/v1/nothing', account),
      api.call('/v1/usage', { ...account, method: 'DELETE' }),
      api.call('/v1/changes?since=never', account),
      api.call('/v1/usage', { ...account, method: 'HEAD' }),
    ];
    for (const { status, headers } of await Promise.all(calls)) {
      const reset = Number(headers['x-ratelimit-reset']);
      expect([status, reset > 3_500 && reset <= 3_600]).toEqual([status, true]);
    }
    expect(remaining(await api.call('/v1/usage', account))).toBe(59_995);
  });

  test('rejected requests do not count, so an upgrade adds the full difference between the plans', async () => {
    const account = await seedAccount(pool, 'free');
    await Promise.all(Array.from({ length: 90 }, () => api.call('/v1/usage', account)));
    await pool.query(`UPDATE accounts SET plan = 'starter' WHERE id = $1`, [account.accountId]);
    const answer = await until('the larger plan', async () => {
      const next = await api.call('/v1/usage', account);
      return next.status === 200 && next;
    });
    expect(remaining(answer)).toBe(600 - 61);
  });

  test('the hour of the rate limit starts with the first request, and rejected requests do not extend it', async () => {
    const account = await seedAccount(pool, 'free');
    await api.call('/v1/usage', account);
    const counter = counterOf(account.accountId);
    await redis.pexpire(counter, 100_400);
    const answers = await Promise.all(Array.from({ length: 70 }, () => api.call('/v1/usage', account)));
    const refused = answers.find((answer) => answer.status === 429);
    const leftMs = await redis.pttl(counter);
    expect(leftMs).toBeLessThanOrEqual(100_400);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(101);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThanOrEqual(Math.ceil(leftMs / 1_000));
  });

  test('the rate limit ends exactly when Retry-After says', async () => {
    const account = await seedAccount(pool, 'free');
    await Promise.all(Array.from({ length: 60 }, () => api.call('/v1/usage', account)));
    await redis.pexpire(counterOf(account.accountId), 2_950);
    const refused = await api.call('/v1/usage', account);
    expect(refused.headers['retry-after']).toBe('3');
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers['retry-after']) * 1_000));
    expect(remaining(await api.call('/v1/usage', account))).toBe(59);
  });

  test('counting a request takes one round trip to Redis', async () => {
    const account = await seedAccount(pool);
    await api.call('/v1/usage', account);
    // The monitor of ioredis sometimes stayed connected after `disconnect()`.
    const monitor = connect(Number(new URL(suite.redisUrl).port), '127.0.0.1');
    suite.onEnd(() => monitor.destroy());
    let lines = '';
    monitor.setEncoding('utf8').on('data', (chunk) => {
      lines += chunk;
    });
    monitor.write('MONITOR\r\n');
    await until('the monitor', () => lines.startsWith('+OK'));
    const seen = () =>
      lines.split('\n').filter((line) => /\] "eval/i.test(line) && line.includes(`"${counterOf(account.accountId)}"`));
    for (let request = 0; request < 5; request += 1) await api.call('/v1/usage', account);
    await until('the commands', () => seen().length >= 5);
    expect(seen()).toHaveLength(5);
  });
});

describe('while Redis is unavailable,', () => {
  const fallbacks = async (opsUrl: string) => {
    const text = await (await fetch(`${opsUrl}/metrics`, { headers: { Connection: 'close' } })).text();
    return Number(/^artist_watch_api_rate_limit_fallbacks_total\{[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  test.each([
    ['killed', () => relay.cut()],
    ['frozen', () => relay.freeze()],
  ])(
    'while Redis is %s, each process counts requests itself, and a metric counts these requests',
    async (_, takeAway) => {
      relay.restore();
      const replica = await start({ REDIS_URL: relay.url });
      const account = await seedAccount(pool, 'free');
      await until('Redis', async () => {
        await replica.call('/v1/usage', await seedAccount(pool));
        return (await redis.keys('artist-watch:requests:*')).length > 0;
      });
      for (let request = 0; request < 10; request += 1) await replica.call('/v1/usage', account);
      const before = await fallbacks(replica.opsUrl);
      takeAway();
      const answers = await Promise.all(Array.from({ length: 60 }, () => replica.call('/v1/usage', account)));
      // The process admits only 50 of these 60 requests, because it continues counting from the 10 that Redis had already
      // counted.
      expect(admitted(answers)).toBe(50);
      expect(answers.every((answer) => answer.status === 200 || answer.status === 429)).toBe(true);
      expect((await fallbacks(replica.opsUrl)) - before).toBe(60);
      expect((await fetch(`${replica.opsUrl}/readyz`, { headers: { Connection: 'close' } })).status).toBe(200);

      relay.restore();
      const fresh = await seedAccount(pool);
      await until('Redis counting again', async () => {
        await replica.call('/v1/usage', fresh);
        return (await redis.exists(counterOf(fresh.accountId))) === 1;
      });
      await replica.stop();
    },
  );

  test('a replica can start and respond', async () => {
    relay.cut();
    const replica = await start({ REDIS_URL: relay.url });
    expect((await replica.call('/v1/usage', await seedAccount(pool))).status).toBe(200);
    relay.restore();
  });
});
