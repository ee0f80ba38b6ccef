import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState, Observation, ReleaseState, TrackState } from '../catalogue.js';
import { CONFIRMATION_SETTINGS, catalogue, openAfter } from '../testing/catalogue-arbitrary.js';
import { type BaselineState, firstBaseline, parseBaseline, serialiseBaseline } from './baseline.js';
import { type Advance, advance, type Confirmation, type Dismissal } from './confirmation.js';
import { findDifferences } from './difference-search.js';
import { visibilityOf } from './difference-visibility.js';
import type { DifferenceRead } from './direct-reads.js';
import { parseSuspicion, type Suspicion } from './suspicion.js';
import type { DirectRead } from './suspicion-note.js';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 2, 1);
const at = (minutes: number): Date => new Date(START + minutes * MINUTE_MS);

/** Takes the same steps as the poller. */
class Watcher {
  suspicions: Suspicion[] = [];
  readonly confirmed: Confirmation[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly repeated: Advance[] = [];
  last: Advance | null = null;

  constructor(
    public baseline: BaselineState,
    private readonly directRead: (key: string) => DifferenceRead = () => 'gone',
  ) {}

  see(observation: Observation, directRead = this.directRead, fleetBrakes = false): Advance {
    const { baseline, suspicions } = this;
    const differences = findDifferences({ baseline, observation, suspicions, followersHistory: [] });
    const absent = differences.filter(({ rule, type }) => rule === 'absence' && !type.startsWith('artist_'));
    const result = advance({
      baseline,
      observation,
      suspicions,
      differences,
      directReads: new Map(absent.map(({ key }) => [key, directRead(key)])),
      fleetBrakes,
      followersHistory: [],
      snapshotId: null,
      settings: CONFIRMATION_SETTINGS,
    });
    this.suspicions = openAfter(suspicions, result);
    this.confirmed.push(...result.confirmed);
    this.dismissed.push(...result.dismissed);
    this.last = result;
    this.baseline = result.baseline;
    return result;
  }

  keys(): string[] {
    return this.confirmed.map(({ suspicion }) => suspicion.key);
  }
}

function track(platformId: string, changed: Partial<TrackState> = {}): TrackState {
  return {
    platformId,
    title: platformId,
    isrc: undefined,
    position: undefined,
    explicit: undefined,
    credits: undefined,
    ...changed,
  };
}

function release(platformId: string, changed: Partial<ReleaseState> = {}): ReleaseState {
  return {
    platformId,
    title: platformId,
    type: undefined,
    releaseDate: undefined,
    artworkId: undefined,
    label: undefined,
    upc: undefined,
    explicit: undefined,
    credits: undefined,
    markets: undefined,
    tracks: undefined,
    ...changed,
  };
}

function state(releases: readonly ReleaseState[]): CatalogueState {
  return {
    artist: { platformId: 'a1', name: 'Björk', imageId: 'i1', followers: undefined, monthlyListeners: undefined },
    releases,
  };
}

const complete = (minutes: number, seen: CatalogueState): Observation => ({
  kind: 'complete',
  observedAt: at(minutes),
  state: seen,
});
const incomplete = (minutes: number): Observation => ({
  kind: 'incomplete',
  cause: 'platform_error',
  observedAt: at(minutes),
  reason: 'page 2 of 3 failed',
});
const artistGone = (minutes: number): Observation => ({ kind: 'artist_gone', observedAt: at(minutes) });
const artistMerged = (minutes: number, platformId = 'a2'): Observation => ({
  kind: 'artist_merged',
  observedAt: at(minutes),
  into: { platformId, name: 'Björk G.' },
});

const many = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10'].map((id) => release(id));
const FULL = state(many);
const WITHOUT_R1 = state(many.slice(1));
const REMOVED = 'release_removed:r1:';

describe("if the platform's caches disagree,", () => {
  const called = (title: string) => state([release('r1', { title })]);
  const tracks = (...ids: string[]) =>
    state([release('r1', { tracks: ids.map((id) => track(id, { isrc: 'GBAAA0100001' })) })]);

  const sold = (...markets: string[]) => state([release('r1', { markets })]);

  test('lost and restored markets are each reported exactly once', () => {
    const watcher = new Watcher(firstBaseline(sold('CA', 'DE', 'US')));
    for (let reading = 0; reading < 400; reading += 1) {
      watcher.see(complete(10 * reading, Math.floor(reading / 6) % 2 === 0 ? sold('CA', 'DE', 'US') : sold('DE')));
    }
    expect(watcher.keys()).toEqual(['availability_reduced:r1:CA US', 'availability_expanded:r1:CA US']);
  });

  test('a release that alternates between two ids is reported once in each direction', () => {
    const [one, other] = ['r1', 'r2'].map((id) => state([release(id, { upc: '724381061527' })])) as [
      CatalogueState,
      CatalogueState,
    ];
    const watcher = new Watcher(firstBaseline(one));
    for (let reading = 0; reading < 400; reading += 1) {
      watcher.see(complete(10 * reading, Math.floor(reading / 6) % 2 === 0 ? one : other));
    }
    expect(watcher.keys()).toEqual(['release_replaced:r1:r2', 'release_replaced:r2:r1']);
  });

  test.each([
    ['a title that alternates between two values', called('A'), called('B')],
    ['a track that alternates between two ids', tracks('t1'), tracks('t2')],
  ])('%s is reported once in each direction', (_what, one, other) => {
    const watcher = new Watcher(firstBaseline(one));
    for (let reading = 0; reading < 400; reading += 1) {
      watcher.see(complete(10 * reading, Math.floor(reading / 4) % 2 === 0 ? one : other));
    }
    expect(watcher.confirmed.map(({ confirmedAt }) => confirmedAt)).toEqual([at(50), at(90)]);
  });

  test('a permanent change is still reported after 5 observations over 2 hours', () => {
    const watcher = new Watcher(firstBaseline(called('A')));
    for (const [minutes, title] of [
      [0, 'B'],
      [10, 'B'],
      [20, 'A'],
      [30, 'A'],
    ] as const) {
      watcher.see(complete(minutes, called(title)));
    }
    for (let minutes = 100; minutes <= 240; minutes += 10) watcher.see(complete(minutes, called('B')));
    expect(watcher.confirmed.map(({ confirmedAt }) => confirmedAt)).toEqual([at(10), at(30), at(220)]);
    // The name was never C before, so this change is not a repetition.
    for (const minutes of [300, 310]) watcher.see(complete(minutes, called('C')));
    expect(watcher.confirmed.at(-1)?.confirmedAt).toEqual(at(310));
  });

  test('changes a month apart are reported normally, however many there are', () => {
    const watcher = new Watcher(firstBaseline(called('A')));
    for (let month = 0; month < 6; month += 1) {
      const title = month % 2 === 0 ? 'B' : 'A';
      for (const minutes of [0, 10]) watcher.see(complete(month * 30 * 1_440 + minutes, called(title)));
    }
    expect(watcher.confirmed).toHaveLength(6);
  });

  test('recent changes are remembered after a restart between two observations', () => {
    const watcher = new Watcher(firstBaseline(called('A')));
    const restart = () => {
      watcher.baseline = parseBaseline(JSON.parse(JSON.stringify(serialiseBaseline(watcher.baseline))));
      watcher.suspicions = watcher.suspicions.map((one) => parseSuspicion(JSON.parse(JSON.stringify(one))));
    };
    for (let reading = 0; reading < 100; reading += 1) {
      watcher.see(complete(10 * reading, called(reading % 4 < 2 ? 'B' : 'A')));
      restart();
    }
    expect(watcher.confirmed).toHaveLength(2);
  });

  test('a change that is repeated within a month always needs 5 observations over 2 hours', () => {
    const runs = fc.array(
      fc.record({ title: fc.constantFrom('A', 'B', 'C'), length: fc.integer({ min: 1, max: 9 }) }),
      {
        minLength: 3,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(runs, (history) => {
        const watcher = new Watcher(firstBaseline(called('A')));
        const titles = history.flatMap(({ title, length }) => Array.from({ length }, () => title));
        titles.forEach((title, index) => {
          watcher.see(complete(20 * index, called(title)));
        });
        const reported = new Set<string>();
        for (const { detectedAt, confirmedAt, suspicion } of watcher.confirmed) {
          const isAgain = reported.has(suspicion.key);
          reported.add(suspicion.key);
          expect(suspicion.observations.length).toBeGreaterThanOrEqual(isAgain ? 5 : 2);
          expect(confirmedAt.getTime() - detectedAt.getTime()).toBeGreaterThanOrEqual((isAgain ? 120 : 20) * MINUTE_MS);
        }
      }),
    );
  });
});

describe('the `absence` rule', () => {
  test('3 observations over 30 minutes confirm a change and determine its detectedAt and confirmedAt', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    expect(watcher.see(complete(0, WITHOUT_R1))).toMatchObject({ opened: [{ key: REMOVED }], nextCheckAt: at(15) });
    expect(watcher.see(complete(15, WITHOUT_R1))).toMatchObject({ strengthened: [{ key: REMOVED }] });
    const last = watcher.see(complete(30, WITHOUT_R1));
    expect(last.confirmed).toMatchObject([{ detectedAt: at(0), confirmedAt: at(30) }]);
    expect(last.confirmed[0]?.suspicion.observations).toEqual(
      [0, 15, 30].map((minutes) => ({
        observedAt: at(minutes),
        paths: { listMissing: true, directRead: 'gone' },
        seen: null,
        snapshotId: null,
      })),
    );
    expect(last.nextCheckAt).toBeNull();
    expect(watcher.see(complete(45, WITHOUT_R1))).toMatchObject({ opened: [], confirmed: [], nextCheckAt: null });
  });

  test('many observations within less than 30 minutes do not confirm a change', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (let minute = 0; minute < 30; minute += 1) watcher.see(complete(minute, WITHOUT_R1));
    expect(watcher.confirmed).toEqual([]);
    watcher.see(complete(30, WITHOUT_R1));
    expect(watcher.keys()).toEqual([REMOVED]);
  });

  test('two observations over several hours do not confirm a change', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    watcher.see(complete(0, WITHOUT_R1));
    watcher.see(complete(600, WITHOUT_R1));
    expect(watcher.confirmed).toEqual([]);
  });

  test('a direct read that finds the release prevents or dismisses the suspicion', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    expect(watcher.see(complete(0, WITHOUT_R1), () => 'alive')).toMatchObject({ opened: [], nextCheckAt: null });
    watcher.see(complete(15, WITHOUT_R1));
    watcher.see(complete(30, WITHOUT_R1), () => 'alive');
    expect(watcher.dismissed).toMatchObject([{ reason: 'alive', suspicion: { key: REMOVED } }]);
    expect(watcher.suspicions).toEqual([]);
  });

  test.each<DirectRead>(['unknown', 'not_asked'])(
    'a direct read with the result %s neither counts as evidence nor dismisses the suspicion',
    (read) => {
      const watcher = new Watcher(firstBaseline(FULL));
      expect(watcher.see(complete(0, WITHOUT_R1), () => read)).toMatchObject({ opened: [], nextCheckAt: at(15) });
      watcher.see(complete(15, WITHOUT_R1));
      watcher.see(complete(30, WITHOUT_R1), () => read);
      watcher.see(complete(45, WITHOUT_R1));
      expect(watcher.suspicions[0]?.observations).toHaveLength(2);
      watcher.see(complete(60, WITHOUT_R1), () => read);
      expect(watcher.confirmed).toEqual([]);
      watcher.see(complete(75, WITHOUT_R1));
      expect(watcher.confirmed).toMatchObject([{ detectedAt: at(15), confirmedAt: at(75) }]);
    },
  );

  test('relinked and permanently unreadable releases do not cause extra polls', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    expect(watcher.see(complete(0, WITHOUT_R1), () => 'relinked')).toMatchObject({ opened: [], nextCheckAt: null });
    watcher.see(complete(15, WITHOUT_R1));
    const days = (count: number) => 15 + count * 144 * 15;
    expect(watcher.see(complete(days(1), WITHOUT_R1), () => 'unknown').nextCheckAt).toEqual(at(days(1) + 15));
    expect(watcher.see(complete(days(1.1), WITHOUT_R1), () => 'unknown')).toMatchObject({
      noted: [{ key: REMOVED, notes: [{ times: 2 }] }],
      nextCheckAt: null,
    });
    // Observations start to count when the direct read returns `gone`.
    for (const day of [2, 3]) watcher.see(complete(days(day), WITHOUT_R1));
    expect(watcher.keys()).toEqual([REMOVED]);
  });

  test('a suspicion is dismissed if the release returns, and a later absence is counted from zero', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    watcher.see(complete(0, WITHOUT_R1));
    watcher.see(complete(15, WITHOUT_R1));
    expect(watcher.see(complete(30, FULL)).dismissed).toMatchObject([{ reason: 'back' }]);
    watcher.see(complete(45, WITHOUT_R1));
    expect(watcher.suspicions[0]?.observations).toHaveLength(1);
  });

  test('a release that returns after confirmation is restored', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 15, 30]) watcher.see(complete(minute, WITHOUT_R1));
    for (const minute of [45, 60]) watcher.see(complete(minute, FULL));
    expect(watcher.keys()).toEqual([REMOVED, 'release_restored:r1:']);
  });

  test('lost markets are confirmed by the `absence` rule', () => {
    const watcher = new Watcher(firstBaseline(state([release('r1', { markets: ['DE', 'FR', 'GB'] })])));
    const reduced = state([release('r1', { markets: ['DE', 'GB'] })]);
    for (const minute of [0, 15]) watcher.see(complete(minute, reduced));
    expect(watcher.confirmed).toEqual([]);
    watcher.see(complete(30, reduced));
    expect(watcher.keys()).toEqual(['availability_reduced:r1:FR']);
    expect(watcher.baseline.releases[0]?.markets).toEqual(['DE', 'GB']);
  });

  test('a missing track is confirmed only by observations that read the tracks', () => {
    const watcher = new Watcher(firstBaseline(state([release('r1', { tracks: [track('t1'), track('t2')] })])));
    const deep = state([release('r1', { tracks: [track('t2')] })]);
    const shallow = state([release('r1')]);
    watcher.see(complete(0, deep));
    for (const minute of [15, 30, 45]) watcher.see(complete(minute, shallow));
    expect(watcher.suspicions[0]?.observations).toHaveLength(1);
    expect(watcher.last?.nextCheckAt).toEqual(at(60));
    for (const minute of [60, 75]) watcher.see(complete(minute, deep));
    expect(watcher.keys()).toEqual(['track_removed:r1/t1:']);
  });
});

describe('removed and merged artists', () => {
  test('an artist not found by three observations over 30 minutes is reported as removed, and nothing else is reported', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 15, 30, 45]) watcher.see(artistGone(minute));
    expect(watcher.keys()).toEqual(['artist_removed:a1:']);
    expect(watcher.suspicions).toEqual([]);
    for (const minute of [60, 75]) watcher.see(complete(minute, FULL));
    expect(watcher.keys()).toEqual(['artist_removed:a1:', 'artist_restored:a1:']);
  });

  test('an artist whose id returns a different artist three times over 30 minutes is reported as merged, and nothing else is reported', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 15, 30, 45]) watcher.see(artistMerged(minute));
    expect(watcher.keys()).toEqual(['artist_merged:a1:a2']);
    expect(watcher.confirmed[0]?.suspicion.difference.after).toEqual([{ platformId: 'a2', name: 'Björk G.' }]);
    expect(watcher.suspicions).toEqual([]);
    expect(parseBaseline(JSON.parse(JSON.stringify(serialiseBaseline(watcher.baseline)))).mergedInto).toBe('a2');
    for (const minute of [60, 75, 90]) watcher.see(artistGone(minute));
    expect(watcher.keys()).toEqual(['artist_merged:a1:a2']);
    for (const minute of [105, 120]) watcher.see(complete(minute, FULL));
    expect(watcher.keys()).toEqual(['artist_merged:a1:a2', 'artist_restored:a1:']);
  });

  test('a suspected merge is dismissed if the id returns the original artist or a third artist before the merge is confirmed', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 15]) watcher.see(artistMerged(minute));
    watcher.see(complete(30, FULL));
    expect(watcher.dismissed).toMatchObject([{ reason: 'back', suspicion: { key: 'artist_merged:a1:a2' } }]);
    for (const minute of [45, 60]) watcher.see(artistMerged(minute));
    for (const minute of [75, 90]) watcher.see(artistMerged(minute, 'a3'));
    expect(watcher.dismissed).toMatchObject([{}, { reason: 'superseded', suspicion: { key: 'artist_merged:a1:a2' } }]);
    expect(watcher.confirmed).toEqual([]);
  });

  test('an artist whose id returns a different artist after a suspected removal is reported only as merged', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 15]) watcher.see(artistGone(minute));
    for (const minute of [30, 45, 60]) watcher.see(artistMerged(minute));
    expect(watcher.dismissed).toMatchObject([{ reason: 'superseded', suspicion: { key: 'artist_removed:a1:' } }]);
    expect(watcher.keys()).toEqual(['artist_merged:a1:a2']);
  });

  test('an artist that exists again before its removal is confirmed is not reported as removed', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    watcher.see(artistGone(0));
    watcher.see(artistGone(15));
    watcher.see(complete(30, FULL));
    expect(watcher.dismissed).toMatchObject([{ reason: 'back', suspicion: { key: 'artist_removed:a1:' } }]);
    watcher.see(artistGone(45));
    expect(watcher.confirmed).toEqual([]);
  });

  test('a missing artist causes no changes to its releases, even before its removal is confirmed', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    watcher.see(complete(0, WITHOUT_R1));
    watcher.see(artistGone(10));
    expect(watcher.suspicions.map(({ key }) => key)).toEqual([REMOVED, 'artist_removed:a1:']);
    for (const minute of [25, 40, 55]) watcher.see(artistGone(minute));
    expect(watcher.keys()).toEqual(['artist_removed:a1:']);
    expect(watcher.dismissed).toMatchObject([{ reason: 'overtaken', suspicion: { key: REMOVED } }]);
  });
});

describe('the `repetition` rule', () => {
  const titled = (title: string | undefined): CatalogueState => state([release('r1', { title })]);

  test('two complete observations with the same value confirm a change, however close together they are', () => {
    const watcher = new Watcher(firstBaseline(titled('Vespertine')));
    expect(watcher.see(complete(0, titled('Vespertine (Deluxe)')))).toMatchObject({ nextCheckAt: at(15) });
    watcher.see(complete(1, titled('Vespertine (Deluxe) ')));
    expect(watcher.confirmed).toMatchObject([{ detectedAt: at(0), confirmedAt: at(1) }]);
    expect(watcher.last?.nextCheckAt).toBeNull();
  });

  test('a suspicion is dismissed if the value changes back', () => {
    const watcher = new Watcher(firstBaseline(titled('A')));
    watcher.see(complete(0, titled('B')));
    watcher.see(complete(15, titled('A')));
    expect(watcher.dismissed).toMatchObject([{ reason: 'back' }]);
    watcher.see(complete(30, titled('B')));
    expect(watcher.confirmed).toEqual([]);
  });

  test('a third value supersedes the second, and two observations confirm it', () => {
    const watcher = new Watcher(firstBaseline(titled('A')));
    watcher.see(complete(0, titled('B')));
    watcher.see(complete(15, titled('C')));
    expect(watcher.dismissed).toMatchObject([{ reason: 'superseded' }]);
    expect(watcher.confirmed).toEqual([]);
    watcher.see(complete(30, titled('C')));
    expect(watcher.confirmed[0]?.suspicion.difference).toMatchObject({ before: 'A', after: 'C' });
  });

  test('an observation without the field neither confirms nor dismisses the suspicion', () => {
    const watcher = new Watcher(firstBaseline(titled('A')));
    watcher.see(complete(0, titled('B')));
    watcher.see(complete(15, titled(undefined)));
    expect(watcher.suspicions).toHaveLength(1);
    watcher.see(complete(30, titled('B')));
    expect(watcher.confirmed).toMatchObject([{ detectedAt: at(0), confirmedAt: at(30) }]);
  });

  test('suspicions about a release are dismissed when its removal is confirmed', () => {
    const others = many.slice(1);
    const watcher = new Watcher(firstBaseline(state([release('r1', { title: 'A' }), ...others])));
    watcher.see(complete(0, state([release('r1', { title: 'B' }), ...others])));
    for (const minute of [15, 30, 45, 60]) watcher.see(complete(minute, state(others)));
    expect(watcher.keys()).toEqual([REMOVED]);
    expect(watcher.dismissed).toMatchObject([
      { reason: 'overtaken', suspicion: { key: 'release_title_changed:r1:B' } },
    ]);
    expect(watcher.suspicions).toEqual([]);
  });
});

describe('replaced releases', () => {
  const others = many.slice(1);
  const UPC = '724381061527';
  const before = state([release('r1', { upc: UPC }), ...others]);
  const shallow = state([release('n1'), ...others]);
  const deep = state([release('n1', { upc: UPC }), ...others]);

  test('a replacement found by a detailed read supersedes the suspected removal and addition', () => {
    const watcher = new Watcher(firstBaseline(before));
    watcher.see(complete(0, shallow));
    expect(watcher.suspicions.map(({ key }) => key)).toEqual(['release_added:n1:', REMOVED]);
    watcher.see(complete(15, deep));
    expect(watcher.dismissed.map(({ reason }) => reason)).toEqual(['superseded', 'superseded']);
    for (const minute of [30, 45]) watcher.see(complete(minute, deep));
    expect(watcher.keys()).toEqual(['release_replaced:r1:n1']);
    expect(watcher.suspicions).toEqual([]);
  });

  test('a replacement is still confirmed if later observations of both releases have no detailed reads', () => {
    const watcher = new Watcher(firstBaseline(before));
    watcher.see(complete(0, deep));
    for (const minute of [15, 30]) watcher.see(complete(minute, shallow));
    expect(watcher.keys()).toEqual(['release_replaced:r1:n1']);
    expect(watcher.dismissed).toEqual([]);
  });

  test('a new release is reported as an addition while the old release can still be read', () => {
    const watcher = new Watcher(firstBaseline(before));
    for (const minute of [0, 15, 30, 45]) watcher.see(complete(minute, deep), () => 'alive');
    expect(watcher.keys()).toEqual(['release_added:n1:']);
    expect(watcher.suspicions).toEqual([]);
  });

  test('a replacement is not split into a removal and an addition while the new release cannot be read in detail', () => {
    const watcher = new Watcher(firstBaseline(before));
    for (const minute of [0, 15]) watcher.see(complete(minute, shallow));
    expect(watcher.confirmed).toEqual([]);
    for (const minute of [30, 45, 60]) watcher.see(complete(minute, deep));
    expect(watcher.keys()).toEqual(['release_replaced:r1:n1']);
  });

  test('a new release is only an addition if the old id returns a third release, because the old release may still exist', () => {
    const watcher = new Watcher(firstBaseline(before));
    for (const minute of [0, 15, 30]) watcher.see(complete(minute, deep), () => 'relinked');
    expect(watcher.keys()).toEqual(['release_added:n1:']);
    expect(watcher.see(complete(45, deep), () => 'relinked').nextCheckAt).toBeNull();
  });
});

describe('removals on hold', () => {
  const missing = (count: number): CatalogueState => state(many.slice(count));

  test('if 3 of 10 releases are missing, each removal is put on hold once and needs 5 observations over 2 hours', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    expect(watcher.see(complete(0, missing(3))).newlyBraked).toHaveLength(3);
    for (const minute of [15, 30, 45, 60, 75, 90, 105]) {
      expect(watcher.see(complete(minute, missing(3))).newlyBraked).toEqual([]);
    }
    expect(watcher.confirmed).toEqual([]);
    watcher.see(complete(120, missing(3)));
    expect(watcher.confirmed).toHaveLength(3);
    expect(watcher.confirmed[0]).toMatchObject({ detectedAt: at(0), confirmedAt: at(120) });
  });

  test('4 observations over 2 hours are not enough to confirm a removal on hold', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 40, 80, 120]) watcher.see(complete(minute, missing(3)));
    expect(watcher.confirmed).toEqual([]);
    watcher.see(complete(125, missing(3)));
    expect(watcher.confirmed).toHaveLength(3);
  });

  test('removals are not put on hold if only 2 of 10 releases are missing', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    for (const minute of [0, 15, 30]) watcher.see(complete(minute, missing(2)));
    expect(watcher.confirmed).toHaveLength(2);
  });

  test('the brake does not count releases that can still be read, however many the list omits', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    const onlyR1 = (key: string) => (key === REMOVED ? 'gone' : 'alive');
    for (const minute of [0, 15, 30]) watcher.see(complete(minute, missing(5)), onlyR1);
    expect(watcher.keys()).toEqual([REMOVED]);
  });

  test('the brake also applies to an earlier suspicion, even after the other releases return', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    watcher.see(complete(0, missing(1)));
    expect(watcher.see(complete(15, missing(5))).newlyBraked).toHaveLength(5);
    watcher.see(complete(30, missing(1)));
    expect(watcher.dismissed).toHaveLength(4);
    expect(watcher.confirmed).toEqual([]);
    for (const minute of [45, 120]) watcher.see(complete(minute, missing(1)));
    expect(watcher.keys()).toEqual([REMOVED]);
  });

  test('the fleet brake applies to all removals, but not to other changes', () => {
    const watcher = new Watcher(firstBaseline(FULL));
    const seen = state([release('r2', { title: 'Renamed' }), ...many.slice(2)]);
    for (const minute of [0, 15, 30]) watcher.see(complete(minute, seen), undefined, true);
    expect(watcher.keys()).toEqual(['release_title_changed:r2:Renamed']);
    expect(watcher.suspicions).toMatchObject([{ key: REMOVED, held: true }]);
  });
});

describe('for any artist history,', () => {
  interface Sight {
    readonly kind: 'complete' | 'incomplete' | 'artist_gone';
    readonly which: number;
    readonly waitMinutes: number;
    readonly read: DirectRead;
  }
  const sight: fc.Arbitrary<Sight> = fc.record({
    kind: fc.constantFrom('complete', 'complete', 'complete', 'complete', 'incomplete', 'artist_gone'),
    which: fc.nat(2),
    waitMinutes: fc.integer({ min: 1, max: 20 }),
    read: fc.constantFrom('gone', 'gone', 'gone', 'gone', 'alive', 'unknown', 'not_asked'),
  });
  const history = fc.record({
    states: fc.tuple(catalogue, catalogue, catalogue),
    sights: fc.array(sight, { maxLength: 25 }),
  });

  /** `twice` processes each observation twice, and `only` selects some of them. */
  function run(
    states: readonly CatalogueState[],
    sights: readonly Sight[],
    { twice = false, only = () => true }: { twice?: boolean; only?: (sight: Sight) => boolean } = {},
  ): Watcher {
    const watcher = new Watcher(firstBaseline(states[0] ?? FULL));
    let minutes = 0;
    for (const { kind, which, waitMinutes, read, ...rest } of sights) {
      minutes += waitMinutes;
      if (!only({ kind, which, waitMinutes, read, ...rest })) continue;
      const observation =
        kind === 'complete'
          ? complete(minutes, states[which] ?? FULL)
          : kind === 'artist_gone'
            ? artistGone(minutes)
            : incomplete(minutes);
      watcher.see(observation, () => read);
      if (twice) watcher.repeated.push(watcher.see(observation, () => read));
    }
    return watcher;
  }
  const said = ({ confirmed, dismissed, suspicions }: Watcher) => ({
    confirmed: confirmed.map(({ suspicion, confirmedAt }) => [suspicion.key, confirmedAt]),
    dismissed: dismissed.map(({ suspicion, reason }) => [suspicion.key, reason]),
    open: suspicions.map(({ key, observations }) => [key, observations.length]),
  });

  test('every confirmation has all the evidence that its rule needs', () => {
    fc.assert(
      fc.property(history, ({ states, sights }) => {
        for (const { suspicion, detectedAt, confirmedAt } of run(states, sights).confirmed) {
          const { difference, observations, held } = suspicion;
          const spanMinutes = (confirmedAt.getTime() - detectedAt.getTime()) / MINUTE_MS;
          expect(observations[0].observedAt).toEqual(detectedAt);
          expect(observations.at(-1)?.observedAt).toEqual(confirmedAt);
          if (difference.rule === 'repetition') expect(observations).toHaveLength(2);
          else {
            expect(observations.length).toBeGreaterThanOrEqual(held ? 5 : 3);
            expect(spanMinutes).toBeGreaterThanOrEqual(held ? 120 : 30);
            for (const { paths } of observations) expect(paths).toEqual({ listMissing: true, directRead: 'gone' });
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('incomplete observations change nothing', () => {
    fc.assert(
      fc.property(history, ({ states, sights }) => {
        const without = run(states, sights, { only: ({ kind }) => kind !== 'incomplete' });
        expect(said(run(states, sights))).toEqual(said(without));
      }),
      { numRuns: 200 },
    );
  });

  const unread = (...ids: string[]) => state(ids.map((id) => release(id, { upc: undefined, tracks: undefined })));

  test('an observation that is processed twice counts only once', () => {
    fc.assert(
      fc.property(history, ({ states, sights }) => {
        for (const again of run(states, sights, { twice: true }).repeated) {
          expect([again.confirmed, again.strengthened]).toEqual([[], []]);
        }
      }),
      {
        numRuns: 200,
        // The third observation confirms the removal of r1, but must not count for r2, which may have replaced r1.
        examples: [
          [
            {
              states: [unread('r1'), unread('r2'), unread()],
              sights: [1, 10, 20].map(
                (waitMinutes) => ({ kind: 'complete', which: 1, waitMinutes, read: 'gone' }) as const,
              ),
            },
          ],
        ],
      },
    );
  });

  test('the keys of suspicions are unique, and an open suspicion always has a next check', () => {
    fc.assert(
      fc.property(history, ({ states, sights }) => {
        const watcher = run(states, sights);
        const keys = watcher.suspicions.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        if (keys.length > 0) expect(watcher.last?.nextCheckAt).not.toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test('once the platform stops changing, no differences remain, and only changes to unreadable fields are still suspected', () => {
    fc.assert(
      fc.property(history, ({ states, sights }) => {
        const watcher = run(states, sights);
        const final = states[2];
        // These observations span enough time to confirm a removal on hold.
        for (let minute = 1_000; minute <= 1_300; minute += 15) watcher.see(complete(minute, final), () => 'gone');
        const differences = findDifferences({
          baseline: watcher.baseline,
          observation: complete(2_000, final),
          suspicions: [],
          followersHistory: [],
        });
        expect(differences).toEqual([]);
        for (const { difference } of watcher.suspicions) {
          const observation = { kind: 'complete', observedAt: at(2_000), state: final } as const;
          expect(visibilityOf(difference, watcher.baseline, observation)).toBe('unseen');
        }
      }),
      { numRuns: 150 },
    );
  });
});
