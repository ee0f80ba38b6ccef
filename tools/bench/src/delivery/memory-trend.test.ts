import { expect, test } from '@jest/globals';
import { floorsOf, type MemorySample, trendOf } from './memory-trend.js';

/** Four samples a minute for an hour: a sawtooth of 100 MB each seven minutes, on a floor that grows. */
function sawtooth(growthAnHour: number): MemorySample[] {
  return Array.from({ length: 240 }, (_, index) => {
    const minute = index / 4;
    return { minute, megabytes: 150 + (minute / 60) * growthAnHour + 100 * ((minute % 7) / 7) };
  });
}

test('the floor of a window is its least sample, whole and where it was', () => {
  const samples = [5, 3, 4, 9, 7, 8].map((megabytes, minute) => ({ minute, megabytes }));
  expect(floorsOf(samples, 3)).toEqual([
    { minute: 1, megabytes: 3 },
    { minute: 4, megabytes: 7 },
  ]);
});

test('windows without a sample are left out, and no samples have no floor', () => {
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

test('a leak of 30 MB an hour is found in the floors of a sawtooth of 100 MB, and none where there is none', () => {
  expect(trendOf(floorsOf(sawtooth(30), 7))).toBeCloseTo(30, 0);
  expect(trendOf(floorsOf(sawtooth(0), 7))).toBeCloseTo(0, 5);
});

test('what is sampled at one moment only has no trend', () => {
  expect(trendOf([{ minute: 1, megabytes: 5 }])).toBe(0);
});
