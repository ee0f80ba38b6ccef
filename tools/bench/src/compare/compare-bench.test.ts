import { compare } from '@artist-watch/domain/comparison/snapshot-comparison';
import { expect, test } from '@jest/globals';
import { compareBench } from './compare-bench.js';
import { changed, largeCatalogue, readAgain } from './large-catalogue.js';

test('the catalogue has 300 releases and 3,000 tracks, and its changed copy differs in every tenth release', () => {
  const catalogue = largeCatalogue();
  expect(catalogue.releases).toHaveLength(300);
  expect(catalogue.releases.flatMap(({ tracks }) => tracks ?? [])).toHaveLength(3_000);
  expect(compare(catalogue, readAgain(catalogue))).toEqual([]);
  const types = new Set(compare(catalogue, changed(catalogue)).map(({ type }) => type));
  expect(types).toEqual(
    new Set(['release_removed', 'release_title_changed', 'availability_reduced', 'track_title_changed']),
  );
});

test('a quick run reports every figure', async () => {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const figures = await compareBench.run({ quick: true, profileDirectory: undefined, say });
  expect(figures).toHaveLength(5);
  expect(lines).toHaveLength(3);
});
