import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState } from '../catalogue.js';
import { type Difference, makeDifference } from '../change/difference.js';
import { artistBrake, brakedKeys, fleetBrake } from './brake.js';

function baseline(releases: number): CatalogueState {
  return {
    artist: { platformId: 'a1', name: 'N', imageId: undefined, followers: undefined, monthlyListeners: undefined },
    releases: Array.from({ length: releases }, (_, index) => ({
      platformId: `r${index}`,
      title: undefined,
      type: undefined,
      releaseDate: undefined,
      artworkId: undefined,
      label: undefined,
      upc: undefined,
      explicit: undefined,
      credits: undefined,
      markets: undefined,
      tracks: undefined,
    })),
  };
}

const removed = (count: number): Difference[] =>
  Array.from({ length: count }, (_, index) =>
    makeDifference({ type: 'release_removed', entityId: `r${index}`, entityName: undefined }),
  );
const RENAMED = makeDifference({ type: 'release_title_changed', entityId: 'r9', entityName: 'R', became: 'S' });
const TRACK = makeDifference({
  type: 'track_removed',
  entityId: 't1',
  entityName: 'T',
  release: { platformId: 'r9', name: 'R' },
});

describe('artistBrake', () => {
  test.each([
    [10, 2, false],
    [10, 3, true],
    [9, 2, false],
    [9, 3, true],
    [100, 29, false],
    [100, 30, true],
    [6, 2, true],
    [3, 1, false],
    [1, 1, false],
    [2, 2, true],
    [0, 0, false],
  ])('for %i releases, %i of them missing, the artist brake is %p', (releases, missing, brakes) => {
    expect(artistBrake(baseline(releases), removed(missing))).toBe(brakes);
  });

  test('the artist brake counts only missing releases', () => {
    expect(artistBrake(baseline(3), [...removed(1), RENAMED, TRACK])).toBe(false);
  });
});

describe('fleetBrake', () => {
  test.each([
    [1_000, 50, false],
    [1_000, 51, true],
    [100, 5, false],
    [100, 6, true],
    [20, 2, false],
    [20, 3, true],
    [3, 3, true],
    [2, 2, false],
    [0, 0, false],
  ])(
    'for %i polled artists, %i of them with removals, the fleet brake is %p',
    (artistsPolled, artistsWithRemovals, brakes) => {
      expect(fleetBrake({ artistsPolled, artistsWithRemovals })).toBe(brakes);
    },
  );
});

describe('brakedKeys', () => {
  const found = [...removed(3), RENAMED, TRACK];

  test('no removal is put on hold if no brake applies', () => {
    expect(brakedKeys(baseline(100), found, false)).toEqual(new Map());
  });

  test('all missing releases of an artist are put on hold if too many are missing', () => {
    expect(brakedKeys(baseline(10), found, false)).toEqual(new Map(removed(3).map(({ key }) => [key, 'artist'])));
  });

  test('the fleet brake puts every removal on hold, and nothing else', () => {
    const all = [...removed(3), TRACK].map(({ key }) => [key, 'fleet'] as const);
    expect(brakedKeys(baseline(100), found, true)).toEqual(new Map(all));
  });

  test('the number of removals on hold never falls when more releases are missing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(60), (releases, missing) => {
        const count = Math.min(missing, releases);
        const held = brakedKeys(baseline(releases), removed(count), false).size;
        expect([0, count]).toContain(held);
        if (held > 0 && count < releases) {
          expect(brakedKeys(baseline(releases), removed(count + 1), false).size).toBe(count + 1);
        }
      }),
    );
  });
});
