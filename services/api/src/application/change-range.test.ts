import { describe, expect, test } from '@jest/globals';
import { defaultSince, reachOf } from './change-range.js';

const now = new Date('2026-05-31T12:00:00.000Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

describe('the start of a list', () => {
  test.each([
    ['free', 7],
    ['starter', 30],
    ['pro', 180],
    ['business', 730],
  ] as const)('on the %s plan, a list starts at most %d days ago, to the millisecond', (plan, days) => {
    const edge = daysAgo(days);
    expect(reachOf(edge, plan, now)).toEqual({ since: edge, clamped: false });
    expect(reachOf(new Date(edge.getTime() - 1), plan, now)).toEqual({ since: edge, clamped: true });
  });

  test('the start of a list can be in the future', () => {
    const later = new Date(now.getTime() + 1);
    expect(reachOf(later, 'free', now)).toEqual({ since: later, clamped: false });
  });
});

test('a list starts 24 hours ago if there is no `since`', () => {
  expect(defaultSince(now)).toEqual(daysAgo(1));
});
