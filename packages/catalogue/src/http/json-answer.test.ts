import { expect, test } from '@jest/globals';
import { parseRetryAfter } from './json-answer.js';

const now = new Date('2026-03-14T12:00:00Z');

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Sat, 14 Mar 2026 12:01:30 GMT', 90_000],
  ['Sat, 14 Mar 2026 11:00:00 GMT', 0],
  ['99999999999', 86_400_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is a pause of %s ms', (header, pauseMs) => {
  expect(parseRetryAfter(header, now)).toBe(pauseMs);
});
