import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHANGE_TYPES } from '../change/change-types.js';
import { followersTrend, lastingTrend, type TrendInput, trendDays, trendFrom } from './followers-trend.js';

const NOW = new Date('2026-03-29T10:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS);

function question(followers: number | undefined, changed: Partial<TrendInput> = {}): TrendInput {
  return {
    artist: { platformId: 'a1', name: 'Björk' },
    history: Array.from({ length: 28 }, (_, index) => ({ day: daysAgo(index + 1), followers: 10_000 })),
    followers,
    observedAt: NOW,
    confirmed: null,
    ...changed,
  };
}

describe('trends in the follower count', () => {
  test.each<[number, string | null]>([
    [10_000, null],
    [12_499, null],
    [12_500, 'followers_spike'],
    [1_000_000, 'followers_spike'],
    [9_001, null],
    [9_000, 'followers_drop'],
    [0, 'followers_drop'],
  ])('%i followers after 10,000 are reported as %p', (followers, type) => {
    expect(followersTrend(question(followers))?.type ?? null).toBe(type);
  });

  test('a trend contains the old and the new count, and its key does not depend on the exact new count', () => {
    const first = followersTrend(question(20_000));
    expect(first).toMatchObject({
      key: 'followers_spike:a1:',
      entityType: 'artist',
      entityName: 'Björk',
      severity: 'info',
      before: 10_000,
      after: 20_000,
    });
    expect(followersTrend(question(20_100))?.key).toBe(first?.key);
    expect(followersTrend(question(5_000))?.severity).toBe(CHANGE_TYPES.followers_drop.severity);
  });

  test('a trend needs a minimum absolute difference, so that small artists do not have one every day', () => {
    const history = question(0).history.map(({ day }) => ({ day, followers: 40 }));
    expect(followersTrend(question(500, { history }))).toBeNull();
    expect(followersTrend(question(540, { history }))?.type).toBe('followers_spike');
  });

  test('a trend needs a week of history, which excludes today and days more than 28 days ago', () => {
    const history = question(0).history;
    expect(followersTrend(question(20_000, { history: history.slice(0, 6) }))).toBeNull();
    expect(followersTrend(question(20_000, { history: history.slice(0, 7) }))).not.toBeNull();
    const old = history.map(({ followers }, index) => ({ day: daysAgo(29 + index), followers }));
    expect(followersTrend(question(20_000, { history: old }))).toBeNull();
    expect(followersTrend(question(20_000, { history: Array(28).fill({ day: NOW, followers: 10_000 }) }))).toBeNull();
  });

  test('an unknown follower count is not reported as a drop to zero', () => {
    expect(followersTrend(question(undefined))).toBeNull();
  });

  test('one outlier in the history does not cause a trend', () => {
    const history = question(0).history.map((entry, index) => (index === 3 ? { ...entry, followers: 0 } : entry));
    expect(followersTrend(question(10_000, { history }))).toBeNull();
  });

  test('after a confirmed spike, a new trend is reported only if the count changes a lot again', () => {
    const spike = followersTrend(question(20_000));
    if (spike === null) throw new Error('a rise from 10,000 to 20,000 followers must be a spike');
    const confirmed = trendFrom(spike);
    expect(followersTrend(question(20_000, { confirmed }))).toBeNull();
    expect(followersTrend(question(24_000, { confirmed }))).toBeNull();
    expect(followersTrend(question(25_000, { confirmed }))?.type).toBe('followers_spike');
    expect(followersTrend(question(8_000, { confirmed }))?.type).toBe('followers_drop');
  });

  test('a trend ends when the count is close to the median again', () => {
    const confirmed = { type: 'followers_spike', level: 20_000 } as const;
    expect(lastingTrend(question(20_000, { confirmed }))).toBe(confirmed);
    expect(lastingTrend(question(undefined, { confirmed }))).toBe(confirmed);
    expect(lastingTrend(question(11_000, { confirmed }))).toBeNull();
  });

  test('the order of the history does not affect a trend, and a count at the median is never a trend', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 10 ** 8 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(numbers, fc.nat(10 ** 8), (values, followers) => {
        const history = values.map((value, index) => ({ day: daysAgo(index + 1), followers: value }));
        const one = followersTrend(question(followers, { history }));
        const other = followersTrend(question(followers, { history: [...history].reverse() }));
        expect(one).toEqual(other);
        if (one) expect(followersTrend(question(Number(one.before), { history }))).toBeNull();
      }),
    );
  });
});

test('only the first day of each trend in a series is marked', () => {
  const counts = [...Array(10).fill(10_000), 8_000, 8_000, 10_000, 13_000, 13_100];
  const days = counts.map((followers, index) => ({ day: daysAgo(counts.length - index), followers }));
  expect(trendDays(days)).toEqual([
    { day: days[10]?.day, type: 'followers_drop', usual: 10_000, followers: 8_000 },
    { day: days[13]?.day, type: 'followers_spike', usual: 10_000, followers: 13_000 },
  ]);
  expect(trendDays(days.slice(0, 3))).toEqual([]);
});
