import { describe, expect, test } from '@jest/globals';
import { FixedWindows } from './fixed-windows.js';

const windows = (maxNames = 10) => new FixedWindows({ windowMs: 1_000, maxNames });

describe('a fixed window', () => {
  test('begins with the first request and ends after its length, whatever came between', () => {
    const counted = windows();
    expect(counted.count('a', 2, 100)).toEqual({ admitted: true, remaining: 1, resetsInMs: 1_000 });
    expect(counted.count('a', 2, 700)).toEqual({ admitted: true, remaining: 0, resetsInMs: 400 });
    expect(counted.count('a', 2, 1_099)).toEqual({ admitted: false, remaining: 0, resetsInMs: 1 });
    expect(counted.count('a', 2, 1_100)).toEqual({ admitted: true, remaining: 1, resetsInMs: 1_000 });
  });

  test('does not count what it refuses, so a higher limit leaves all that it adds', () => {
    const counted = windows();
    for (let request = 0; request < 50; request += 1) counted.count('a', 2, 0);
    expect(counted.count('a', 10, 0)).toMatchObject({ admitted: true, remaining: 7 });
  });

  test('counts each name by itself', () => {
    const counted = windows();
    counted.count('a', 1, 0);
    expect(counted.count('b', 1, 0).admitted).toBe(true);
    expect(counted.count('a', 1, 0).admitted).toBe(false);
  });

  test('goes on from what was counted elsewhere', () => {
    const counted = windows();
    counted.remember('a', 59, 500, 0);
    expect(counted.count('a', 60, 100)).toEqual({ admitted: true, remaining: 0, resetsInMs: 400 });
    expect(counted.count('a', 60, 499).admitted).toBe(false);
    expect(counted.count('a', 60, 500).remaining).toBe(59);
  });

  test('keeps no more names than it may, whoever comes', () => {
    const counted = windows(2);
    counted.count('a', 1, 0);
    counted.count('b', 1, 0);
    counted.count('c', 1, 0);
    expect(counted.count('a', 1, 0).admitted).toBe(true);
  });
});
