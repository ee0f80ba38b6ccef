import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import { lostMarkets, marketCount } from '../comparison/market-comparison.js';
import { compare, compareObservation } from '../comparison/snapshot-comparison.js';
import { blurred, catalogue } from '../testing/catalogue-arbitrary.js';
import { type BaselineState, firstBaseline, parseBaseline, serialiseBaseline } from './baseline.js';
import { applyConfirmed, learn, settleBaseline } from './baseline-update.js';
import { UnreadableRecordError } from './json-reader.js';

const baselines: fc.Arbitrary<BaselineState> = fc
  .record({
    state: catalogue,
    removed: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
    artistGone: fc.boolean(),
    trend: fc.option(fc.constantFrom({ type: 'followers_spike', level: 900 } as const)),
  })
  .map(({ state, removed, artistGone, trend }) => ({
    ...firstBaseline(state),
    removed: removed.map((n) => ({ platformId: `r${n}`, title: n % 2 === 0 ? undefined : `Title ${n}` })),
    artistGone,
    followersTrend: trend,
  }));

function confirmAll(baseline: BaselineState, observed: CatalogueState): BaselineState {
  return compare(baseline, observed).reduce(
    (current, difference) => applyConfirmed(current, difference, observed),
    baseline,
  );
}

const keysOf = (baseline: BaselineState, observed: CatalogueState) => compare(baseline, observed).map(({ key }) => key);

describe('baselines', () => {
  test('a baseline starts as a copy of the first complete observation', () => {
    fc.assert(
      fc.property(catalogue, (state) => {
        expect(compare(firstBaseline(state), state)).toEqual([]);
      }),
    );
  });

  test('a baseline can be restored from JSON', () => {
    fc.assert(
      fc.property(baselines, (baseline) => {
        const stored = JSON.parse(JSON.stringify(serialiseBaseline(baseline)));
        expect(parseBaseline(stored)).toEqual(baseline);
        expect(serialiseBaseline(parseBaseline(stored))).toEqual(stored);
      }),
    );
  });

  test.each([
    [null],
    [{}],
    ['text'],
    [[]],
    [{ artist: { platformId: 'a1' }, releases: 'none', removed: [], artistGone: false }],
    [{ artist: { platformId: 'a1' }, releases: [{ title: 'no id' }], removed: [], artistGone: false }],
    [{ artist: { platformId: 'a1' }, releases: [], removed: [], artistGone: 'no' }],
  ])('%j is rejected instead of being read as an empty baseline', (stored) => {
    expect(() => parseBaseline(stored)).toThrow(UnreadableRecordError);
  });
});

describe("a new release's markets", () => {
  const empty: CatalogueState = {
    artist: { platformId: 'a1', name: 'N', imageId: undefined, followers: undefined, monthlyListeners: undefined },
    releases: [],
  };
  const release = {
    platformId: 'r1',
    title: 'R',
    type: undefined,
    releaseDate: undefined,
    artworkId: undefined,
    label: undefined,
    upc: undefined,
    explicit: undefined,
    credits: undefined,
    tracks: undefined,
  };
  const seen = (...markets: string[]): CatalogueState => ({ ...empty, releases: [{ ...release, markets }] });
  const typesOf = (baseline: BaselineState, observed: CatalogueState) =>
    compare(baseline, observed).map(({ type }) => type);
  const settle = (baseline: BaselineState, state: CatalogueState, confirmed: readonly Difference[] = []) => {
    const observation = { kind: 'complete', observedAt: new Date(0), state } as const;
    const settled = settleBaseline({ baseline, observation, confirmed, followersHistory: [] });
    return parseBaseline(JSON.parse(JSON.stringify(serialiseBaseline(settled))));
  };
  const added = settle(firstBaseline(empty), seen('DE', 'FR'), compare(firstBaseline(empty), seen('DE', 'FR')));

  test('the markets of a new release are completed by its second observation, and compared from then on', () => {
    expect(typesOf(added, seen('DE', 'FR', 'US'))).toEqual([]);
    const completed = settle(added, seen('DE', 'FR', 'US'));
    expect(completed.releases[0]?.markets).toEqual(['DE', 'FR', 'US']);
    expect(typesOf(completed, seen('DE', 'FR', 'GB', 'US'))).toEqual(['availability_expanded']);
    expect(typesOf(settle(added, seen('DE', 'FR')), seen('DE', 'FR', 'US'))).toEqual(['availability_expanded']);
  });

  test('a market that only the first observation of a new release showed is reported as lost', () => {
    expect(typesOf(added, seen('FR', 'US'))).toEqual(['availability_reduced']);
    expect(typesOf(settle(added, seen('FR', 'US')), seen('FR', 'US'))).toEqual(['availability_reduced']);
  });
});

describe('learning from an observation', () => {
  test('learning never changes the differences', () => {
    fc.assert(
      fc.property(baselines, catalogue, (baseline, observed) => {
        expect(keysOf(learn(baseline, observed), observed)).toEqual(keysOf(baseline, observed));
      }),
      { numRuns: 500 },
    );
  });

  test('learning from an observation fills unknown fields, and learning from it again changes nothing', () => {
    fc.assert(
      fc.property(catalogue, fc.integer(), (state, seed) => {
        const learned = learn(firstBaseline(blurred(state, seed)), state);
        expect(learn(learned, state)).toBe(learned);
        for (const [index, release] of learned.releases.entries()) {
          const seen = state.releases[index];
          if (seen?.title) expect(release.title).toBe(seen.title);
          if (seen?.markets?.length) expect(release.markets).toBe(seen.markets);
        }
      }),
    );
  });

  test('a field that was learned is compared from then on', () => {
    fc.assert(
      fc.property(catalogue, (state) => {
        const releases = state.releases.map((release) => ({ ...release, label: undefined }));
        const labelled = { ...state, releases: state.releases.map((release) => ({ ...release, label: 'Elektra' })) };
        const moved = { ...state, releases: state.releases.map((release) => ({ ...release, label: 'Polydor' })) };
        const learned = learn(firstBaseline({ ...state, releases }), labelled);
        expect(compare(learned, moved).map(({ type }) => type)).toEqual(releases.map(() => 'label_changed'));
      }),
    );
  });

  test('learning updates the position of a track, because no change type covers it', () => {
    const track = { platformId: 't1', title: 'A', isrc: undefined, position: 1, explicit: false, credits: undefined };
    const state = (position: number): CatalogueState => ({
      artist: { platformId: 'a1', name: 'N', imageId: undefined, followers: undefined, monthlyListeners: undefined },
      releases: [
        {
          platformId: 'r1',
          title: 'R',
          type: 'album',
          releaseDate: undefined,
          artworkId: undefined,
          label: undefined,
          upc: undefined,
          explicit: undefined,
          credits: undefined,
          markets: undefined,
          tracks: [{ ...track, position }],
        },
      ],
    });
    expect(learn(firstBaseline(state(1)), state(2)).releases[0]?.tracks?.[0]?.position).toBe(2);
  });
});

describe('applyConfirmed', () => {
  test('a confirmed difference is applied, so that it is reported only once', () => {
    fc.assert(
      fc.property(baselines, catalogue, (baseline, observed) => {
        expect(compare(confirmAll(baseline, observed), observed)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('applying a difference leaves the other differences unchanged', () => {
    fc.assert(
      fc.property(baselines, catalogue, fc.nat(), (baseline, observed, which) => {
        const found = compare(baseline, observed);
        const one = found[which % Math.max(found.length, 1)];
        fc.pre(one !== undefined);
        // Losing all markets leaves an empty list, which means unknown.
        fc.pre(one.type !== 'availability_reduced' || lostMarkets(one).length < marketCount(one.before));
        const rest = found.filter((difference) => difference !== one).map(({ key }) => key);
        expect(keysOf(applyConfirmed(baseline, one, observed), observed)).toEqual(rest);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the order in which differences are confirmed does not affect the next comparison', () => {
    fc.assert(
      fc.property(baselines, catalogue, catalogue, (baseline, observed, later) => {
        const reversed = compare(baseline, observed)
          .reverse()
          .reduce((current, difference) => applyConfirmed(current, difference, observed), baseline);
        expect(keysOf(reversed, later)).toEqual(keysOf(confirmAll(baseline, observed), later));
      }),
      { numRuns: 500 },
    );
  });

  test('a removed release that returns is restored and no longer stored as removed', () => {
    fc.assert(
      fc.property(catalogue, (state) => {
        fc.pre(state.releases.length > 0);
        const empty = confirmAll(firstBaseline(state), { ...state, releases: [] });
        expect(empty.removed).toHaveLength(state.releases.length);
        const types = compare(empty, state).map(({ type }) => type);
        expect(types).toEqual(state.releases.map(() => 'release_restored'));
        expect(confirmAll(empty, state).removed).toEqual([]);
      }),
    );
  });

  test('the removal and the return of an artist are each applied, so that each is reported exactly once', () => {
    fc.assert(
      fc.property(catalogue, (state) => {
        const gone = { kind: 'artist_gone', observedAt: new Date(0) } as const;
        const baseline = firstBaseline(state);
        const without = compareObservation(baseline, gone).reduce((at, one) => applyConfirmed(at, one, null), baseline);
        expect(compareObservation(without, gone)).toEqual([]);
        expect(compare(without, state).map(({ type }) => type)).toEqual(['artist_restored']);
        expect(compare(confirmAll(without, state), state)).toEqual([]);
      }),
    );
  });

  test('a difference that is not in the observation is rejected', () => {
    fc.assert(
      fc.property(catalogue, (state) => {
        fc.pre(state.releases.length > 0);
        const nothing: CatalogueState = { ...state, releases: [] };
        const [added] = compare(firstBaseline(nothing), state);
        if (added) expect(() => applyConfirmed(firstBaseline(nothing), added, nothing)).toThrow(RangeError);
      }),
    );
  });
});
