import { expect, test } from '@jest/globals';
import { CloserLimit } from './closer-limit.js';

test('the limit halves with each failure, never below one, and grows again when it is reached', () => {
  const limit = new CloserLimit();
  const most = limit.releases;
  limit.ended(10, false);
  expect(limit.releases).toBe(5);
  for (let n = 0; n < 10; n += 1) limit.ended(limit.releases, false);
  expect(limit.releases).toBe(1);
  limit.ended(1, true);
  expect(limit.releases).toBe(3);
  limit.ended(2, true);
  expect(limit.releases).toBe(3);
  for (let n = 0; n < 100; n += 1) limit.ended(limit.releases, true);
  expect(limit.releases).toBe(most);
});
