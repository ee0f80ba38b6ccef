import { expect, test } from '@jest/globals';
import { instantOf } from './zoned-time.js';

test('a day starts at midnight in its zone, even if the clock changes on that day', () => {
  expect(instantOf('2026-03-29', 0, 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(instantOf('2026-03-29', 0, 'Europe/Berlin', 1).toISOString()).toBe('2026-03-29T22:00:00.000Z');
  expect(instantOf('2026-10-25', 0, 'America/Los_Angeles').toISOString()).toBe('2026-10-25T07:00:00.000Z');
});
