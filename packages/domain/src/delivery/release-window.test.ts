import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RETRY_DELAYS_MS, pausesMs } from './retry-schedule.js';

test('a failing destination is paused for 1 s, 5 s, 30 s, 2 min, 10 min and then 30 min', () => {
  expect(pausesMs(DEFAULT_RETRY_DELAYS_MS)).toEqual([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000]);
});

test('the pauses of a destination increase with the delays of its retry schedule, up to the last delay', () => {
  const delays = fc.array(fc.integer({ min: 1, max: 10 ** 8 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(delays, (unordered) => {
      const delaysMs = unordered.sort((a, b) => a - b);
      const pauses = pausesMs(delaysMs);
      expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
      expect(Math.max(...pauses)).toBeLessThanOrEqual(delaysMs.at(-1) as number);
    }),
  );
});
