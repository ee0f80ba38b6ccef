import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { freeze, thaw, withChildren } from '../chaos/stage/processes.js';
import { inspect } from './inspect.js';
import { nextTurn, useStage } from './stage.js';

const stage = useStage();

test('a wiped Redis does not sign out any browser', async () => {
  const page = await stage.visitor({ email: await stage.account.member() });
  await page.goto(stage.account.url(''));
  const redis = new Redis(stage.stack.redisUrl);
  await redis.flushall();
  redis.disconnect();
  expect((await page.goto(stage.account.url('/changes')))?.status()).toBe(200);
});

test('while PostgreSQL is frozen, pages show the error and when to retry; open pages stay unchanged', async () => {
  const page = await stage.visitor({ email: await stage.account.member() });
  await page.goto(stage.account.url(''));
  const left = await stage.visitor({ email: await stage.account.member() });
  await left.clock.install();
  await left.goto(stage.account.url(''));
  const shown = await left.locator('main').textContent();
  const frozen = freeze(withChildren(stage.stack.pids.postgres ?? 0), 'postgres');
  try {
    const answer = await page.goto(stage.account.url('/changes'));
    expect(answer?.status()).toBe(503);
    expect(answer?.headers()['retry-after']).toBe('1');
    await page.getByRole('heading', { name: 'Artist Watch is briefly unavailable' }).waitFor();
    expect(await inspect(page, 'failure-503')).toEqual([]);
    expect(await nextTurn(left)).toBe(503);
    expect(await left.locator('main').textContent()).toBe(shown);
  } finally {
    thaw(frozen);
  }
  await until('the page to load again', async () => (await page.goto(stage.account.url('/changes')))?.status() === 200);
  expect(await nextTurn(left)).toBe(200);
});
