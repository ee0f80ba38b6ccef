import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeJsonError } from './request-body.js';

describe('describeJsonError', () => {
  test.each([
    ['{"platform_id": "27", "x"}', 'unexpected `}` at position 26'],
    ['{"a": 1,}', 'unexpected `}` at position 9'],
    ['[1, 2', 'it ends unexpectedly after character 5'],
    ['{"a": "unfinished', 'it ends unexpectedly after character 17'],
    ['{"a": "\\x"}', 'unexpected `\\` at position 8'],
    ['{"a": "line\nbreak"}', 'unexpected character at position 12'],
    ["{'a': 1}", "unexpected `'` at position 2"],
    ['{"a": hunter2}', 'unexpected `h` at position 7'],
    ['{"a": 01}', 'unexpected `0` at position 7'],
    ['{"a": nulls}', 'unexpected `n` at position 7'],
    ['{} {}', 'unexpected `{` at position 4'],
    ['{"a": ü}', 'unexpected character at position 7'],
    ['{"a": `}', 'unexpected character at position 7'],
    ['[1}', 'unexpected `}` at position 3'],
  ])('for %j, returns: %s', (text, description) => expect(describeJsonError(text)).toBe(description));

  test('errors in very long and deeply nested JSON texts are described', () => {
    expect(describeJsonError(`"${'x'.repeat(5_000_000)}`)).toBe('it ends unexpectedly after character 5000001');
    expect(describeJsonError('['.repeat(1_000_000))).toBe('it ends unexpectedly after character 1000000');
  });

  test('the reported position is at or before the damaged character in any JSON text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, seed) => {
        const cut = seed % json.length;
        const damaged = `${json.slice(0, cut)}\u0001${json.slice(cut)}`;
        expect(describeJsonError(damaged)).toMatch(/at position ([1-9]\d{0,6})$/);
        const [, position] = /at position (\d+)$/.exec(describeJsonError(damaged)) ?? [];
        expect(Number(position)).toBeLessThanOrEqual(cut + 1);
      }),
    );
  });
});
