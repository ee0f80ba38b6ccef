import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryDelaysFor } from './delivery-state.js';
import { currentWarnings, DEFAULT_RETRY_DELAYS_MS, retryDelayMs, WARN_AT } from './retry-schedule.js';

const MINUTE_MS = 60_000;

describe('retryDelayMs', () => {
  test.each([
    [1, 1],
    [2, 5],
    [3, 30],
    [4, 120],
    [5, 360],
  ])('the delay after %i failed attempts is %i minutes', (attemptsInRound, minutes) => {
    expect(retryDelayMs(attemptsInRound, DEFAULT_RETRY_DELAYS_MS)).toBe(minutes * MINUTE_MS);
  });

  test('there is no delay after the sixth failure, because no retries remain', () => {
    expect(retryDelayMs(6, DEFAULT_RETRY_DELAYS_MS)).toBeNull();
  });

  test.each([
    ['test', 0],
    ['resend', 0],
    ['change', 5],
    ['recover', 5],
  ] as const)('a delivery with the trigger %s has %i retries', (trigger, retries) => {
    const delaysMs = retryDelaysFor(trigger, DEFAULT_RETRY_DELAYS_MS);
    let attempts = 1;
    while (retryDelayMs(attempts, delaysMs) !== null) attempts += 1;
    expect(attempts - 1).toBe(retries);
  });

  test.each([0, -1, 1.5, Number.NaN])('the number of attempts must not be %p', (attemptsInRound) => {
    expect(() => retryDelayMs(attemptsInRound, [1])).toThrow(RangeError);
  });

  test('a schedule allows one more attempt than it has delays', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { maxLength: 12 }), (delaysMs) => {
        expect(delaysMs.map((_, index) => retryDelayMs(index + 1, delaysMs))).toEqual(delaysMs);
        expect(retryDelayMs(delaysMs.length + 1, delaysMs)).toBeNull();
      }),
    );
  });
});

describe('active warnings', () => {
  test('every warning since the current series of failures began is active, whatever else happens to the destination', () => {
    const step = fc.constantFrom<'failure' | 'success' | 'enabled' | 'secret_rotated'>(
      ...Array.from({ length: 12 }, () => 'failure' as const),
      'success',
      'enabled',
      'secret_rotated',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        let failures = 0;
        let isOff = false;
        const notices: { kind: string; consecutiveFailures: number }[] = [];
        let standing: typeof notices = [];
        for (const taken of steps) {
          if (taken === 'enabled' || taken === 'secret_rotated') {
            notices.unshift({ kind: taken, consecutiveFailures: failures });
          } else if (taken === 'failure' && !isOff) {
            failures += 1;
            isOff = failures === 20;
            const notice = { kind: isOff ? 'switched_off' : 'warning', consecutiveFailures: failures };
            if (isOff || WARN_AT.includes(failures)) {
              notices.unshift(notice);
              standing = [notice, ...standing];
            }
          }
          if (taken === 'enabled' || (taken === 'success' && !isOff)) [failures, isOff] = [0, false];
          if (failures === 0) standing = [];
          expect(currentWarnings(notices, failures)).toEqual(standing);
        }
      }),
    );
  });

  test('a switch-off at an earlier, lower threshold is not active if the destination has been enabled since', () => {
    const notices = [
      { kind: 'warning', consecutiveFailures: 10 },
      { kind: 'enabled', consecutiveFailures: 5 },
      { kind: 'switched_off', consecutiveFailures: 5 },
    ];
    expect(currentWarnings(notices, 11)).toEqual(notices.slice(0, 1));
  });
});
