import { expect, test } from '@jest/globals';
import { Capability } from './interpret.js';

test('what was refused is left alone for an hour, and then tried again', () => {
  let nowMs = Date.parse('2026-03-14T12:00:00Z');
  const capability = new Capability({ now: () => new Date(nowMs) });
  expect(capability.mayBeTried).toBe(true);
  capability.refused();
  nowMs += 3_599_999;
  expect(capability.mayBeTried).toBe(false);
  nowMs += 1;
  expect(capability.mayBeTried).toBe(true);
});
