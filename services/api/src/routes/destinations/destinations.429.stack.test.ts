import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { DESTINATION_LIMITS } from '@artist-watch/http/limit/rate-limit';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const start = () => startApi(suite, (env, signal) => compose(readConfig(env), signal));
const replicas = [await start(), await start()] as const;

async function withDestination() {
  const account = await seedAccount(pool);
  const post = (path: string, { replica = 0, ...call }: { replica?: 0 | 1; body?: unknown; headers?: object } = {}) =>
    replicas[replica].call(`/v1${path}`, { method: 'POST', key: account.key, ...call } as object);
  const { id } = (await post('/destinations', { body: { url: 'https://receiver.example/' } })).body;
  const send = (call: Parameters<typeof post>[1] = {}) =>
    post(`/destinations/${id}/test`, { body: { wait_seconds: 0 }, ...call });
  return { ...account, id, post, send };
}

test('each destination allows 10 tests per minute across all replicas', async () => {
  const { id, send, key } = await withDestination();
  const other = await withDestination();
  // Rejected requests do not count toward another account's limit.
  expect((await other.post(`/destinations/${id}/test`)).status).toBe(404);
  const answers = await Promise.all(
    Array.from({ length: DESTINATION_LIMITS.test + 3 }, (_, n) => send({ replica: n % 2 === 0 ? 0 : 1 })),
  );
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused).toHaveLength(3);
  for (const answer of refused) {
    expect(answer).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
  }
  const { data } = (await replicas[0].call(`/v1/deliveries?destination=${id}`, { key })).body;
  expect(data).toHaveLength(DESTINATION_LIMITS.test);
  expect((await other.send()).status).toBe(202);
});

test('a rate-limited request with an Idempotency-Key runs when it is retried later', async () => {
  const { send } = await withDestination();
  for (let n = 0; n < DESTINATION_LIMITS.test; n += 1) await send();
  const keyed = { headers: { 'Idempotency-Key': 'again' } };
  expect((await send(keyed)).status).toBe(429);
  const redis = openCommandConnection(suite.redisUrl);
  suite.onEnd(() => redis.disconnect());
  await whenReady(redis, 5_000);
  await redis.del(await redis.keys('*:sends:*'));
  expect((await send(keyed)).status).toBe(202);
});

test('a destination allows at most 60 resends per minute', async () => {
  const { send, post } = await withDestination();
  const delivery = (await send()).body;
  const resend = () => post(`/deliveries/${delivery.id}/resend`);
  const answers = await Promise.all(Array.from({ length: DESTINATION_LIMITS.resend }, resend));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
  expect(await resend()).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
});
