import { expect, test } from '@jest/globals';
import { floorsOf, type MemorySample, trendOf } from './memory-bench.js';

/** Memory rises by 100 MB and falls again every seven minutes, while the minimum slowly grows. */
function sawtooth(growthAnHour: number): MemorySample[] {
  return Array.from({ length: 240 }, (_, index) => {
    const minute = index / 4;
    return { minute, megabytes: 150 + (minute / 60) * growthAnHour + 100 * ((minute % 7) / 7) };
  });
}

test('the floor of each window is its lowest sample, with the time of that sample', () => {
  const samples = [5, 3, 4, 9, 7, 8].map((megabytes, minute) => ({ minute, megabytes }));
  expect(floorsOf(samples, 3)).toEqual([
    { minute: 1, megabytes: 3 },
    { minute: 4, megabytes: 7 },
  ]);
});

test('a window without samples has no floor', () => {
  expect(
    floorsOf(
      [
        { minute: 0, megabytes: 1 },
        { minute: 10, megabytes: 2 },
      ],
      1,
    ),
  ).toHaveLength(2);
  expect(floorsOf([], 1)).toEqual([]);
});

test('the trend of the floors shows a leak of 30 MB per hour in a 100 MB sawtooth, and is 0 if there is no leak', () => {
  expect(trendOf(floorsOf(sawtooth(30), 7))).toBeCloseTo(30, 0);
  expect(trendOf(floorsOf(sawtooth(0), 7))).toBeCloseTo(0, 5);
});

test('a single sample has a trend of 0', () => {
  expect(trendOf([{ minute: 1, megabytes: 5 }])).toBe(0);
});
