import { describe, expect, test } from '@jest/globals';
import { isWithinLimit, limitText, valueText } from './figure.js';

const spread = { median: 0.7, least: 0.4, greatest: 0.9 };

describe('a figure', () => {
  test('a figure is within its limit if its median equals the limit or is better', () => {
    expect(isWithinLimit({ name: '', value: spread, atLeast: 0.7 })).toBe(true);
    expect(isWithinLimit({ name: '', value: spread, atLeast: 0.71 })).toBe(false);
    expect(isWithinLimit({ name: '', value: spread, atMost: 0.7 })).toBe(true);
    expect(isWithinLimit({ name: '', value: 0.71, atMost: 0.7 })).toBe(false);
  });

  test('a figure without a limit is not judged', () => {
    expect(isWithinLimit({ name: '', value: 1 })).toBeUndefined();
    expect(limitText({ name: '', value: 1 })).toBe('');
  });

  test('a figure shows its spread, unit and limit with the requested number of digits', () => {
    const figure = { name: '', value: spread, unit: 'ms', digits: 1, atMost: 2 };
    expect(valueText(figure)).toBe('0.7 (0.4–0.9) ms');
    expect(limitText(figure)).toBe('≤ 2.0 ms');
    expect(valueText({ name: '', value: 3 })).toBe('3.00');
  });
});
