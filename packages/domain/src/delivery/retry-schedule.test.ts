import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryDelaysFor } from './delivery-state.js';
import { DEFAULT_RETRY_DELAYS_MS, nextAttemptAt } from './retry-schedule.js';

const ENDED = new Date('2026-03-01T12:00:00.250Z');

describe('nextAttemptAt', () => {
  test.each([
    [1, '2026-03-01T12:01:00.250Z'],
    [2, '2026-03-01T12:05:00.250Z'],
    [3, '2026-03-01T12:30:00.250Z'],
    [4, '2026-03-01T14:00:00.250Z'],
    [5, '2026-03-01T18:00:00.250Z'],
  ])('attempt %i failed: the next is at %s', (attemptsInRound, at) => {
    const next = nextAttemptAt({ attemptsInRound, endedAt: ENDED, delaysMs: DEFAULT_RETRY_DELAYS_MS });
    expect(next?.toISOString()).toBe(at);
  });

  test('the sixth failure ends the round', () => {
    expect(nextAttemptAt({ attemptsInRound: 6, endedAt: ENDED, delaysMs: DEFAULT_RETRY_DELAYS_MS })).toBeNull();
  });

  test.each([
    ['test', 0],
    ['resend', 0],
    ['change', 5],
    ['recover', 5],
  ] as const)('a %s is tried again %i times', (trigger, retries) => {
    const delaysMs = retryDelaysFor(trigger, DEFAULT_RETRY_DELAYS_MS);
    let attempts = 1;
    while (nextAttemptAt({ attemptsInRound: attempts, endedAt: ENDED, delaysMs }) !== null) attempts += 1;
    expect(attempts - 1).toBe(retries);
  });

  test.each([0, -1, 1.5, Number.NaN])('%p attempts is a lost count', (attemptsInRound) => {
    expect(() => nextAttemptAt({ attemptsInRound, endedAt: ENDED, delaysMs: [1] })).toThrow(RangeError);
  });

  test('for every schedule, a round is one attempt more than its delays, each delay measured from the end', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { maxLength: 12 });
    const ended = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(delays, ended, (delaysMs, endedAt) => {
        const waited = delaysMs.map((_, index) => {
          const next = nextAttemptAt({ attemptsInRound: index + 1, endedAt, delaysMs });
          return next === null ? null : next.getTime() - endedAt.getTime();
        });
        expect(waited).toEqual(delaysMs);
        expect(nextAttemptAt({ attemptsInRound: delaysMs.length + 1, endedAt, delaysMs })).toBeNull();
      }),
    );
  });
});
