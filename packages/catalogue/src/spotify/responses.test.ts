import { expect, test } from '@jest/globals';
import { Capability } from './responses.js';

test('a kind of request that was rejected is tried again after one hour', () => {
  let nowMs = Date.parse('2026-03-14T12:00:00Z');
  const capability = new Capability({ now: () => new Date(nowMs) });
  expect(capability.shouldTry).toBe(true);
  capability.markRejected();
  nowMs += 3_599_999;
  expect(capability.shouldTry).toBe(false);
  nowMs += 1;
  expect(capability.shouldTry).toBe(true);
});
