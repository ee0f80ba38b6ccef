import { describe, expect, test } from '@jest/globals';
import type { ReleaseState } from '../catalogue.js';
import { makeDifference } from '../change/difference.js';
import { directReadOfMarkets } from './direct-reads.js';

describe('directReadOfMarkets', () => {
  const reduced = makeDifference({
    type: 'availability_reduced',
    entityId: 'r1',
    entityName: undefined,
    before: ['DE', 'FR', 'GB'],
    after: ['GB', 'JP'],
    became: 'DE FR',
  });
  const release = (markets: readonly string[] | undefined) => ({ platformId: 'r1', markets }) as ReleaseState;

  test.each([
    [['GB'], 'gone'],
    [[], 'unknown'],
    [['GB', 'fr'], 'alive'],
    [undefined, 'unknown'],
  ] as const)('DE and FR lost, %j read: %s', (markets, read) => {
    expect(directReadOfMarkets(reduced, [release(markets)])).toBe(read);
  });

  test('a release that was not read says nothing', () => {
    expect(directReadOfMarkets(reduced, [])).toBe('unknown');
  });
});
