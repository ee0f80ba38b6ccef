import { describe, expect, test } from '@jest/globals';
import { isWithinLimit, limitText, valueText } from './figure.js';

const spread = { median: 0.7, least: 0.4, greatest: 0.9 };

describe('a figure', () => {
  test('is held to its limit by its median, and the limit itself is still within', () => {
    expect(isWithinLimit({ name: '', value: spread, atLeast: 0.7 })).toBe(true);
    expect(isWithinLimit({ name: '', value: spread, atLeast: 0.71 })).toBe(false);
    expect(isWithinLimit({ name: '', value: spread, atMost: 0.7 })).toBe(true);
    expect(isWithinLimit({ name: '', value: 0.71, atMost: 0.7 })).toBe(false);
  });

  test('without a limit is neither met nor missed', () => {
    expect(isWithinLimit({ name: '', value: 1 })).toBeUndefined();
    expect(limitText({ name: '', value: 1 })).toBe('');
  });

  test('shows its spread, its unit and its limit with as many digits as it asks for', () => {
    const figure = { name: '', value: spread, unit: 'ms', digits: 1, atMost: 2 };
    expect(valueText(figure)).toBe('0.7 (0.4–0.9) ms');
    expect(limitText(figure)).toBe('≤ 2.0 ms');
    expect(valueText({ name: '', value: 3 })).toBe('3.00');
  });
});
