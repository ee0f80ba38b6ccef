import { describe, expect, test } from '@jest/globals';
import type { ReleaseState } from '../catalogue.js';
import { makeDifference } from '../change/difference.js';
import { directReadOfMarkets, matchDirectReads, missingIds } from './direct-reads.js';

const about = (type: Parameters<typeof makeDifference>[0]['type'], entityId: string) =>
  makeDifference({ type, entityId, entityName: undefined });
const differences = [
  about('release_removed', '1'),
  about('release_added', '2'),
  about('track_removed', '1'),
  about('track_removed', '3'),
  about('artist_removed', '4'),
];

test('only suspected items are read directly', () => {
  expect(missingIds(differences)).toEqual({ release: new Set(['1']), track: new Set(['1', '3']) });
});

test('a response counts only for the requested kind of item, not for a different kind with the same id', () => {
  const observation = { kind: 'artist_gone', observedAt: new Date(0) } as const;
  const answers = { release: new Map([['1', 'gone'] as const]), track: new Map([['1', 'alive'] as const]) };
  const [release, , track] = differences;
  expect([...matchDirectReads(differences, observation, answers)]).toEqual([
    [release?.key, 'gone'],
    [track?.key, 'alive'],
  ]);
});

test('a release whose id returns another release counts as removed only if the other release is its suspected replacement', () => {
  const became = { after: { platformId: '2' }, became: '2' };
  const replaced = makeDifference({ type: 'release_replaced', entityId: '1', entityName: undefined, ...became });
  const observation = { kind: 'artist_gone', observedAt: new Date(0) } as const;
  const readsOf = (relinkedTo: string) => {
    const answers = { release: new Map([['1', { relinkedTo }]]), track: new Map() };
    return [...matchDirectReads([about('release_removed', '1'), replaced], observation, answers).values()];
  };
  expect(readsOf('2')).toEqual(['relinked', 'gone']);
  expect(readsOf('3')).toEqual(['relinked', 'relinked']);
});

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
  ] as const)('if DE and FR were lost and a direct read returns the markets %j, its result is %s', (markets, read) => {
    expect(directReadOfMarkets(reduced, [release(markets)])).toBe(read);
  });

  test('the result of a direct read is unknown for a release that was not read', () => {
    expect(directReadOfMarkets(reduced, [])).toBe('unknown');
  });
});
