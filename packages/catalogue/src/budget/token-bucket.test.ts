import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { PlatformError } from '../platform-error.js';
import { type BudgetRules, DEEZER_BUDGET } from './request-budget.js';
import { fullBucket, InProcessBudget, penalisedBucket, type TokenBucket, takeTokens } from './token-bucket.js';

const rulesArbitrary = fc
  .record({
    limit: fc.integer({ min: 2, max: 100 }),
    windowMs: fc.integer({ min: 100, max: 10_000 }),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map(({ limit, windowMs, share }) => ({ limit, windowMs, burst: Math.max(1, Math.floor(limit * share)) }));

/** The instants at which a caller that always wants more is granted one. */
function grantedAt(rules: BudgetRules, pausesMs: readonly number[]): number[] {
  const grants: number[] = [];
  let bucket: TokenBucket = fullBucket(rules, 0);
  let nowMs = 0;
  for (const pauseMs of pausesMs) {
    nowMs += pauseMs;
    for (;;) {
      const outcome = takeTokens(rules, bucket, 1, nowMs);
      if ('granted' in outcome) {
        bucket = outcome.granted;
        grants.push(nowMs);
        break;
      }
      nowMs += outcome.waitMs;
    }
  }
  return grants;
}

describe('the token bucket', () => {
  test('never grants more than the limit in any span of the window', () => {
    fc.assert(
      fc.property(
        rulesArbitrary,
        fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })), { minLength: 1, maxLength: 300 }),
        (rules, pausesMs) => {
          const grants = grantedAt(rules, pausesMs);
          grants.forEach((from, index) => {
            const within = grants.slice(index).filter((at) => at < from + rules.windowMs);
            expect(within.length).toBeLessThanOrEqual(rules.limit);
          });
        },
      ),
    );
  });

  test('a caller that waits as long as it was answered is granted at once', () => {
    fc.assert(
      fc.property(rulesArbitrary, fc.integer({ min: 0, max: 10_000 }), (rules, penaltyMs) => {
        const empty = penalisedBucket(fullBucket(rules, 0), penaltyMs, 0);
        const outcome = takeTokens(rules, empty, 1, 0);
        expect(outcome).toHaveProperty('waitMs');
        const waitMs = 'waitMs' in outcome ? outcome.waitMs : 0;
        expect(waitMs).toBeGreaterThanOrEqual(penaltyMs);
        // One more millisecond for what a floating point number loses.
        expect(takeTokens(rules, empty, 1, waitMs + 1)).toHaveProperty('granted');
      }),
    );
  });

  test('no burst follows a penalty', () => {
    const bucket = penalisedBucket(fullBucket(DEEZER_BUDGET, 0), 60_000, 0);
    expect(takeTokens(DEEZER_BUDGET, bucket, 1, 60_000)).toEqual({ waitMs: 179 });
    expect(takeTokens(DEEZER_BUDGET, bucket, 1, 60_179)).toHaveProperty('granted');
  });

  test('a shorter penalty does not cut a longer one', () => {
    const long = penalisedBucket(fullBucket(DEEZER_BUDGET, 0), 60_000, 0);
    expect(penalisedBucket(long, 1_000, 5_000)).toEqual(long);
  });

  test("Deezer's budget stays below 36 requests in 5 seconds and above 5 a second", () => {
    const grants = grantedAt(DEEZER_BUDGET, Array(1_000).fill(0));
    const durationMs = grants.at(-1) ?? 0;
    expect(grants.filter((at) => at < 5_000).length).toBeLessThan(36);
    expect(1_000 / (durationMs / 1_000)).toBeGreaterThan(5);
  });
});

const RULES = { limit: 10, windowMs: 1_000, burst: 5 };
const never = new AbortController().signal;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Takes one after the other and notes at which millisecond each was granted. */
function takeMany(budget: InProcessBudget, count: number, signal = never): { readonly granted: string[] } {
  const granted: string[] = [];
  const startedAtMs = performance.now();
  for (let i = 0; i < count; i++) {
    budget.take(1, signal).then(
      () => granted.push(`${i} at ${Math.round(performance.now() - startedAtMs)}`),
      () => granted.push(`${i} refused`),
    );
  }
  return { granted };
}

describe('the budget of one process', () => {
  test('lets a burst through and the rest evenly, in the order in which they came', async () => {
    const taken = takeMany(new InProcessBudget(RULES), 8);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(taken.granted).toEqual([
      '0 at 0',
      '1 at 0',
      '2 at 0',
      '3 at 0',
      '4 at 0',
      '5 at 200',
      '6 at 400',
      '7 at 600',
    ]);
  });

  test('a penalty holds back those who wait already', async () => {
    const budget = new InProcessBudget(RULES);
    const taken = takeMany(budget, 6);
    await budget.penalise(5_000);
    await jest.advanceTimersByTimeAsync(5_100);
    expect(taken.granted).toHaveLength(5);
    await jest.advanceTimersByTimeAsync(100);
    expect(taken.granted.at(-1)).toBe('5 at 5200');
  });

  test('who gives up leaves its place to the next', async () => {
    const budget = new InProcessBudget(RULES);
    takeMany(budget, 5);
    const giveUp = new AbortController();
    const gone = budget.take(1, giveUp.signal);
    const next = takeMany(budget, 1);
    const reason = new Error('enough');
    giveUp.abort(reason);
    await expect(gone).rejects.toBe(reason);
    await jest.advanceTimersByTimeAsync(200);
    expect(next.granted).toEqual(['0 at 200']);
  });

  test('refuses at once, with the wait, when the wait would be too long', async () => {
    const budget = new InProcessBudget({ ...RULES, maxWaitMs: 2_000 });
    await budget.penalise(60_000);
    const refused = await budget.take(1, never).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PlatformError);
    expect((refused as PlatformError).failure).toEqual({ kind: 'quota', retryAfterMs: 60_200 });
  });

  test('those who wait count for how long the wait would be', async () => {
    const budget = new InProcessBudget({ ...RULES, maxWaitMs: 400 });
    const taken = takeMany(budget, 8);
    await jest.advanceTimersByTimeAsync(0);
    expect(taken.granted.at(-1)).toBe('7 refused');
  });

  test('an aborted caller takes nothing', async () => {
    const budget = new InProcessBudget(RULES);
    await expect(budget.take(1, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    expect(takeMany(budget, 5)).toBeDefined();
  });
});
