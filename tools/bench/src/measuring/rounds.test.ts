import { describe, expect, test } from '@jest/globals';
import { interleave, type Variant } from './rounds.js';

function variantsThatRecord(order: string[]): Variant[] {
  return ['a', 'b'].map((name) => ({
    name,
    measure: async () => {
      order.push(name);
      return { requestsPerSecond: name === 'a' ? order.length : 10 };
    },
  }));
}

describe('interleaved rounds', () => {
  test('every second round runs in reverse order', async () => {
    const order: string[] = [];
    await interleave(variantsThatRecord(order), 3);
    expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
  });

  test('each round is reported when it ends', async () => {
    const ended: string[] = [];
    await interleave(variantsThatRecord([]), 2, ({ variant, round }) => ended.push(`${variant}${round}`));
    expect(ended).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  test('the ratio between two variants is the median of the per-round ratios', async () => {
    const rounds = await interleave(variantsThatRecord([]), 3);
    // "a" ran 1st, 4th and 5th.
    expect(rounds.spread('requestsPerSecond', 'a')).toEqual({ median: 4, least: 1, greatest: 5 });
    expect(rounds.ratio('requestsPerSecond', 'a', 'b')).toEqual({ median: 0.4, least: 0.1, greatest: 0.5 });
  });

  test('a figure that was not measured throws an error', async () => {
    const rounds = await interleave(variantsThatRecord([]), 1);
    expect(() => rounds.spread('cpuMsPerRequest', 'a')).toThrow('"a" has no figure "cpuMsPerRequest"');
  });
});
