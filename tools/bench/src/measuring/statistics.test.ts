import { describe, expect, test } from '@jest/globals';
import { median, quantile, spreadOf } from './statistics.js';

describe('a quantile', () => {
  test('a quantile at a whole-number position is a value from the sample', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(quantile([40, 10, 30, 20, 50], 0.25)).toBe(20);
  });

  test('a quantile between two positions is interpolated', () => {
    expect(median([1, 2])).toBe(1.5);
    expect(quantile([0, 100], 0.99)).toBeCloseTo(99);
  });

  test('a quantile sorts its sample by value, not as text', () => {
    expect(median([2, 10, 100])).toBe(10);
  });

  test('an empty sample throws an error', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

test('a spread has the minimum, the median and the maximum', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, greatest: 3 });
});
