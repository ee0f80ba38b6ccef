import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryDelaysFor } from './delivery-state.js';
import { DEFAULT_RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.js';

const MINUTE_MS = 60_000;

describe('retryDelayMs', () => {
  test.each([
    [1, 1],
    [2, 5],
    [3, 30],
    [4, 120],
    [5, 360],
  ])('attempt %i failed: the next is %i minutes later', (attemptsInRound, minutes) => {
    expect(retryDelayMs(attemptsInRound, DEFAULT_RETRY_DELAYS_MS)).toBe(minutes * MINUTE_MS);
  });

  test('the sixth failure ends the round', () => {
    expect(retryDelayMs(6, DEFAULT_RETRY_DELAYS_MS)).toBeNull();
  });

  test.each([
    ['test', 0],
    ['resend', 0],
    ['change', 5],
    ['recover', 5],
  ] as const)('a %s is tried again %i times', (trigger, retries) => {
    const delaysMs = retryDelaysFor(trigger, DEFAULT_RETRY_DELAYS_MS);
    let attempts = 1;
    while (retryDelayMs(attempts, delaysMs) !== null) attempts += 1;
    expect(attempts - 1).toBe(retries);
  });

  test.each([0, -1, 1.5, Number.NaN])('%p attempts is a lost count', (attemptsInRound) => {
    expect(() => retryDelayMs(attemptsInRound, [1])).toThrow(RangeError);
  });

  test('for every schedule, a round is one attempt more than its delays', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { maxLength: 12 }), (delaysMs) => {
        expect(delaysMs.map((_, index) => retryDelayMs(index + 1, delaysMs))).toEqual(delaysMs);
        expect(retryDelayMs(delaysMs.length + 1, delaysMs)).toBeNull();
      }),
    );
  });
});
