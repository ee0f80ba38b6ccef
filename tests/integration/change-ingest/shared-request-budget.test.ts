import { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import type { BudgetRules, RequestUrgency } from '@artist-watch/catalogue/budget/request-budget';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { useSuite } from '@artist-watch/harness/suite';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

const { redisUrl } = await useSuite();
const never = new AbortController().signal;
const rules: BudgetRules = { limit: 24, windowMs: 1_000, burst: 4 };

const connections = [openCommandConnection(redisUrl), openCommandConnection(redisUrl)];
await Promise.all(connections.map((redis) => whenReady(redis, 5_000)));
const [redis, otherRedis] = connections as [(typeof connections)[0], (typeof connections)[0]];
afterAll(() => {
  for (const connection of connections) connection.disconnect();
});
beforeEach(() => redis.flushdb());

const budgetOn = (connection: typeof redis, over: Partial<BudgetRules> = {}, key = 'budget') =>
  new PlatformBudget({ rules: { ...rules, ...over }, shared: { redis: connection, key, onFallback: () => undefined } });

/** Returns milliseconds from now. */
async function grants(budgets: readonly PlatformBudget[], count: number): Promise<number[]> {
  const beganAtMs = performance.now();
  const at: number[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await budgets[n % budgets.length]?.take(1, never);
      at.push(performance.now() - beganAtMs);
    }),
  );
  return at.sort((a, b) => a - b);
}

describe('the shared budget of a platform', () => {
  test('the shared budget is never exceeded in any window, by any number of replicas', async () => {
    const at = await grants([budgetOn(redis), budgetOn(otherRedis)], 60);
    const fullest = Math.max(...at.map((from) => at.filter((t) => t >= from && t < from + rules.windowMs).length));
    expect(fullest).toBeLessThanOrEqual(rules.limit);
    // Available capacity is used: a burst, then an even rate.
    expect(fullest).toBeGreaterThan(rules.limit * 0.7);
  });

  test('the shared budget is granted in order of arrival', async () => {
    const budget = budgetOn(redis);
    const order: number[] = [];
    await Promise.all(Array.from({ length: 12 }, (_, n) => budget.take(1, never).then(() => order.push(n))));
    expect(order).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });

  /** Returns the urgencies in the order in which waiting requests are granted. */
  async function servedOrder(budget: PlatformBudget, waiting: readonly RequestUrgency[]): Promise<string> {
    const order: string[] = [];
    for (let n = 0; n < rules.burst; n += 1) await budget.take(1, never);
    await Promise.all(
      waiting.map((urgency) => budget.take(1, never, urgency).then(() => order.push(urgency.slice(0, 1)))),
    );
    return order.join('');
  }
  const times = (count: number, urgency: RequestUrgency) => Array.from({ length: count }, () => urgency);

  test('the shared budget prefers due polls to detailed reads, which still get every fourth slot', async () => {
    const order = await servedOrder(budgetOn(redis), [...times(8, 'close'), ...times(9, 'due')]);
    expect(order).toMatch(/^(d{0,3}cddd|dddc){1}/);
    expect(order.slice(0, 12).replaceAll('d', '')).toHaveLength(3);
  });

  test('spare requests are granted only if no other request waits, and keep half a burst for later requests', async () => {
    const budget = budgetOn(redis);
    expect(await servedOrder(budget, [...times(2, 'spare'), ...times(4, 'close'), ...times(4, 'due')])).toMatch(/ss$/);
    await redis.flushdb();
    // This bucket gets one token an hour, so all grants come from the burst of four.
    const withoutRefill = { limit: 5, windowMs: 3_600_000 };
    const fresh = budgetOn(otherRedis, withoutRefill);
    for (const urgency of times(2, 'spare')) await fresh.take(1, never, urgency);
    const granted: RequestUrgency[] = [];
    const stop = new AbortController();
    const third = fresh.take(1, stop.signal, 'spare').then(() => granted.push('spare'));
    // Redis has answered the third spare request when it answers this later command.
    await otherRedis.ping();
    for (const urgency of times(2, 'due')) {
      await budgetOn(redis, withoutRefill).take(1, never, urgency);
      granted.push(urgency);
    }
    stop.abort(new Error('stopped'));
    await expect(third).rejects.toThrow('stopped');
    expect(granted).toEqual(['due', 'due']);
  });

  test('spare requests are rejected if no capacity is left, so that their read ends', async () => {
    const budget = budgetOn(redis);
    await budget.penalise(11_000);
    await expect(budget.take(1, never, 'spare')).rejects.toMatchObject({
      failure: { kind: 'quota' },
    });
  });

  test('no replica may send requests during a pause that the platform required from one replica', async () => {
    const [paused, other] = [budgetOn(redis), budgetOn(otherRedis)];
    await paused.penalise(600);
    expect(await paused.remainingMs()).toBeGreaterThan(500);
    const [first] = await grants([other], 1);
    expect(first).toBeGreaterThan(590);
  });

  test('a pause that an operator ends is over for every replica', async () => {
    const [paused, other] = [budgetOn(redis), budgetOn(otherRedis)];
    await paused.penalise(79_892_000);
    const waiting = other.take(1, never);
    await redis.del('budget');
    await waiting;
    expect(await paused.remainingMs()).toBe(0);
  });

  test('a pause that Redis did not receive is kept until Redis is back', async () => {
    const late = openCommandConnection(redisUrl);
    const budget = budgetOn(late);
    // The client is not connected yet.
    await budget.penalise(20_000);
    expect(await redis.exists('budget')).toBe(0);
    await whenReady(late, 5_000);
    expect(await budget.remainingMs()).toBeGreaterThan(19_000);
    late.disconnect();
  });

  test('a shorter pause does not shorten a longer one', async () => {
    const budget = budgetOn(redis);
    await budget.penalise(700);
    await budget.penalise(1);
    const [first] = await grants([budgetOn(otherRedis)], 1);
    expect(first).toBeGreaterThan(600);
  });

  test("a waiting replica sees how much of another replica's pause remains", async () => {
    await budgetOn(redis).penalise(20_000);
    const budget = budgetOn(otherRedis);
    const stop = new AbortController();
    const asked = budget.take(1, stop.signal);
    while ((await budget.remainingMs()) === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await budget.remainingMs()).toBeGreaterThan(19_000);
    stop.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
  });

  test.each<[what: string, fill: (budget: PlatformBudget) => Promise<void>]>([
    ['was used', (budget) => budget.take(1, never)],
    ['was used after a pause', (budget) => budget.penalise(1).then(() => budget.take(1, never))],
    ['is paused', (budget) => budget.penalise(300)],
  ])("a budget that %s does not stay blocked when Redis's clock is set back by an hour", async (_what, fill) => {
    await fill(budgetOn(otherRedis));
    await redis.hincrby('budget', 'filled', 3_600_000);
    const stop = AbortSignal.timeout(10_000);
    await budgetOn(redis).take(1, stop);
  });

  test('an aborted request leaves its slot to the others', async () => {
    const budget = budgetOn(redis, { limit: 5, burst: 1 });
    await budget.take(1, never);
    const stop = new AbortController();
    const given = budget.take(1, stop.signal);
    const other = budget.take(1, never);
    stop.abort(new Error('stopped'));
    await expect(given).rejects.toThrow('stopped');
    await other;
  });

  test('without Redis, the budget continues at a fraction of the rate and reports it', async () => {
    const away = openCommandConnection(redisUrl.replace(/:\d+\//, ':9/'));
    const fallbacks: boolean[] = [];
    const budget = new PlatformBudget({
      rules,
      shared: { redis: away, key: 'budget', onFallback: (is) => fallbacks.push(is) },
    });
    const at = await grants([budget], 8);
    away.disconnect();
    expect(fallbacks).toEqual([true]);
    // The rate is a quarter of 24 requests a second. The first request is granted immediately.
    expect(at.at(-1)).toBeGreaterThan(1_000);
  });
});
