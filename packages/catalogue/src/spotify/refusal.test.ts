import { expect, test } from '@jest/globals';
import { Privilege } from './refusal.js';

test('what was refused is left alone for an hour, and then tried again', () => {
  let nowMs = Date.parse('2026-03-14T12:00:00Z');
  const privilege = new Privilege({ now: () => new Date(nowMs) });
  expect(privilege.mayBeTried).toBe(true);
  privilege.refused();
  nowMs += 3_599_999;
  expect(privilege.mayBeTried).toBe(false);
  nowMs += 1;
  expect(privilege.mayBeTried).toBe(true);
});
