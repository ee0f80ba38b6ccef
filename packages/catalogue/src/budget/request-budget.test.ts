import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type BudgetRules,
  DEEZER_BUDGET,
  fullBucket,
  penalisedBucket,
  type TokenBucket,
  takeTokens,
} from './request-budget.js';

const rulesArbitrary = fc
  .record({
    limit: fc.integer({ min: 2, max: 100 }),
    windowMs: fc.integer({ min: 100, max: 10_000 }),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map(({ limit, windowMs, share }) => ({ limit, windowMs, burst: Math.max(1, Math.floor(limit * share)) }));

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
  test('no window has more granted requests than the limit', () => {
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

  test('a token is granted once the returned wait is over', () => {
    fc.assert(
      fc.property(rulesArbitrary, fc.integer({ min: 0, max: 10_000 }), (rules, penaltyMs) => {
        const empty = penalisedBucket(fullBucket(rules, 0), penaltyMs, 0);
        const outcome = takeTokens(rules, empty, 1, 0);
        expect(outcome).toHaveProperty('waitMs');
        const waitMs = 'waitMs' in outcome ? outcome.waitMs : 0;
        expect(waitMs).toBeGreaterThanOrEqual(penaltyMs);
        // Allow one extra millisecond for floating-point rounding.
        expect(takeTokens(rules, empty, 1, waitMs + 1)).toHaveProperty('granted');
      }),
    );
  });

  test('no burst is granted right after a penalty', () => {
    const bucket = penalisedBucket(fullBucket(DEEZER_BUDGET, 0), 60_000, 0);
    expect(takeTokens(DEEZER_BUDGET, bucket, 1, 60_000)).toEqual({ waitMs: 179 });
    expect(takeTokens(DEEZER_BUDGET, bucket, 1, 60_179)).toHaveProperty('granted');
  });

  test('a shorter penalty does not replace a longer one', () => {
    const long = penalisedBucket(fullBucket(DEEZER_BUDGET, 0), 60_000, 0);
    expect(penalisedBucket(long, 1_000, 5_000)).toEqual(long);
  });

  test("Deezer's budget grants fewer than 36 requests in the first 5 seconds and more than 5 per second on average", () => {
    const grants = grantedAt(DEEZER_BUDGET, Array(1_000).fill(0));
    const durationMs = grants.at(-1) ?? 0;
    expect(grants.filter((at) => at < 5_000).length).toBeLessThan(36);
    expect(1_000 / (durationMs / 1_000)).toBeGreaterThan(5);
  });
});
