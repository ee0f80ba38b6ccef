import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState, ReleaseState } from '../catalogue.js';
import { makeDifference } from '../change/difference.js';
import { compare } from '../comparison/snapshot-comparison.js';
import { catalogue } from '../testing/catalogue-arbitrary.js';
import { planFollowUp } from './follow-up-plan.js';

const NOTHING_KNOWN = { releases: [], listsMarkets: false };

describe('planFollowUp', () => {
  test('lost markets need a full read, a new release or label needs a detailed read, and a missing release needs none', () => {
    const about = (type: Parameters<typeof makeDifference>[0]['type'], entityId: string) =>
      makeDifference({ type, entityId, entityName: undefined });
    expect(planFollowUp([about('release_removed', 'r1')], NOTHING_KNOWN)).toEqual({
      deepReleaseIds: [],
      fullReleaseIds: [],
    });
    expect(
      planFollowUp(
        [
          about('release_added', 'r2'),
          about('label_changed', 'r4'),
          about('availability_reduced', 'r3'),
          about('upc_changed', 'r3'),
        ],
        NOTHING_KNOWN,
      ),
    ).toEqual({ deepReleaseIds: ['r2', 'r4'], fullReleaseIds: ['r3'] });
  });

  test('a release is read in detail if it lost a market in the list, but not if it gained one', () => {
    const about = (type: 'availability_reduced' | 'availability_expanded') =>
      makeDifference({ type, entityId: 'r3', entityName: undefined });
    const listed = { releases: [], listsMarkets: true };
    const reading = planFollowUp([about('availability_reduced')], listed);
    expect(reading).toEqual({ deepReleaseIds: ['r3'], fullReleaseIds: [] });
    expect(planFollowUp([about('availability_expanded')], listed).deepReleaseIds).toEqual([]);
  });

  test('every release that is needed to find the same differences again is read in detail', () => {
    fc.assert(
      fc.property(catalogue, catalogue, (before, after) => {
        const found = compare(before, after);
        const { deepReleaseIds, fullReleaseIds } = planFollowUp(found, NOTHING_KNOWN);
        const read = new Set([...deepReleaseIds, ...fullReleaseIds]);
        expect(compare(before, shallowBut(after, read)).map(({ key }) => key)).toEqual(found.map(({ key }) => key));
      }),
      { numRuns: 500 },
    );
  });

  function shallowBut(state: CatalogueState, read: ReadonlySet<string>): CatalogueState {
    const shallow = (release: ReleaseState): ReleaseState => ({
      ...release,
      label: undefined,
      upc: undefined,
      markets: undefined,
      tracks: undefined,
    });
    return {
      ...state,
      releases: state.releases.map((release) => (read.has(release.platformId) ? release : shallow(release))),
    };
  }
});
