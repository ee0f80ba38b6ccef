import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState, ReleaseState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import { summarise } from '../change/summary.js';
import { changedMarkets } from '../comparison/market-comparison.js';
import { CONFIRMATION_SETTINGS, openAfter } from '../testing/catalogue-arbitrary.js';
import { type BaselineState, firstBaseline } from './baseline.js';
import { type Advance, advance, type Confirmation, type Dismissal } from './confirmation.js';
import { findDifferences } from './difference-search.js';
import { directReadOfMarkets } from './direct-reads.js';
import { toEvidence } from './evidence.js';
import { planFollowUp } from './follow-up-plan.js';
import { parseSuspicion, type Suspicion } from './suspicion.js';

type Markets = Readonly<Record<string, readonly string[] | undefined>>;

const at = (minutes: number): Date => new Date(Date.UTC(2026, 2, 1) + minutes * 60_000);

function release(platformId: string, markets: readonly string[] | undefined): ReleaseState {
  const unknown = { type: undefined, releaseDate: undefined, artworkId: undefined, label: undefined, upc: undefined };
  const title = `Title ${platformId}`;
  return { platformId, title, ...unknown, explicit: undefined, credits: undefined, markets, tracks: undefined };
}

function state(markets: Markets): CatalogueState {
  return {
    artist: { platformId: 'a1', name: 'Björk', imageId: 'i1', followers: undefined, monthlyListeners: undefined },
    releases: Object.entries(markets).map(([id, where]) => release(id, where)),
  };
}

/** Takes the same steps as the poller, and stores suspicions as JSON. */
class Watcher {
  suspicions: Suspicion[] = [];
  readonly confirmed: Confirmation[] = [];
  readonly dismissed: Dismissal[] = [];
  baseline: BaselineState;

  constructor(markets: Markets) {
    this.baseline = firstBaseline(state(markets));
  }

  see(minutes: number, markets: Markets): Advance {
    const observation = { kind: 'complete', observedAt: at(minutes), state: state(markets) } as const;
    const { baseline, suspicions } = this;
    const differences = findDifferences({ baseline, observation, suspicions, followersHistory: [] });
    const { releases } = observation.state;
    const absent = differences.filter(({ rule }) => rule === 'absence');
    const result = advance({
      baseline,
      observation,
      suspicions,
      differences,
      directReads: new Map(
        absent.map((one) => [one.key, one.type === 'release_removed' ? 'gone' : directReadOfMarkets(one, releases)]),
      ),
      fleetBrakes: false,
      followersHistory: [],
      snapshotId: null,
      settings: CONFIRMATION_SETTINGS,
    });
    this.suspicions = openAfter(suspicions, result).map(stored);
    this.confirmed.push(...result.confirmed);
    this.dismissed.push(...result.dismissed);
    this.baseline = result.baseline;
    return result;
  }

  said(): string[] {
    return this.confirmed.map(({ suspicion: { difference } }) => {
      const whole = catalogueAvailability(difference);
      return whole === null
        ? difference.key
        : `${difference.type} of ${difference.entityType} ${difference.entityId}: ${whole.markets.join(' ')}, ${whole.releases.length} of ${whole.of}`;
    });
  }
}

function stored({ difference, observations, notes, held }: Suspicion): Suspicion {
  return parseSuspicion(JSON.parse(JSON.stringify({ difference, observations, notes, held })));
}

const WORLD = ['AM', 'BR', 'DE', 'FR', 'GB', 'IS', 'JP', 'RU', 'US'];
const IDS = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9'];
const without = (...lost: string[]) => WORLD.filter((market) => !lost.includes(market));
const all = (markets: readonly string[] | undefined, ids = IDS): Markets =>
  Object.fromEntries(ids.map((id) => [id, markets]));

describe('availability changes for many releases', () => {
  test('a market lost across the whole catalogue is reported once, as a single change to the artist', () => {
    const watcher = new Watcher(all(WORLD));
    expect(watcher.see(0, all(without('RU'))).opened).toHaveLength(1);
    watcher.see(15, all(without('RU')));
    expect(watcher.confirmed).toEqual([]);
    watcher.see(30, all(without('RU')));
    const [change] = watcher.confirmed;
    expect(change).toMatchObject({
      detectedAt: at(0),
      confirmedAt: at(30),
      suspicion: {
        held: false,
        difference: { entityType: 'artist', entityId: 'a1', entityName: 'Björk', severity: 'warning', rule: 'absence' },
      },
    });
    expect(watcher.said()).toEqual(['availability_reduced of artist a1: RU, 9 of 9']);
    expect(change && summarise(change.suspicion.difference, 'Björk', 'deezer')).toBe(
      '9 of 9 releases by Björk are no longer available in 1 market: RU.',
    );
    expect(watcher.see(45, all(without('RU')))).toMatchObject({ opened: [], confirmed: [], nextCheckAt: null });
    expect(watcher.suspicions).toEqual([]);
  });

  test('the evidence of a combined change lists its releases', () => {
    const watcher = new Watcher(all(WORLD));
    for (const minute of [0, 15, 30]) watcher.see(minute, all(without('RU')));
    const evidence = watcher.confirmed.flatMap(({ suspicion }) => toEvidence(suspicion));
    expect(evidence).toHaveLength(3);
    for (const { text, seen } of evidence) {
      expect(text).toBe("A full check found 9 of the artist's releases without these markets: RU.");
      expect(seen).toMatchObject({ markets: ['RU'], releases: IDS.map((platformId) => ({ platformId })) });
    }
  });

  test('a market gained across most of the catalogue is reported as one change after two observations', () => {
    const launched = { ...all(WORLD), r9: without('BR') };
    const watcher = new Watcher(all(without('BR')));
    watcher.see(0, launched);
    watcher.see(15, launched);
    expect(watcher.said()).toEqual(['availability_expanded of artist a1: BR, 8 of 9']);
    expect(watcher.confirmed[0]?.suspicion.difference.severity).toBe('info');
    expect(watcher.confirmed.map(({ suspicion }) => summarise(suspicion.difference, 'Björk', 'deezer'))).toEqual([
      '8 of 9 releases by Björk are now also available in 1 more market: BR.',
    ]);
  });

  test('a change for several releases is dismissed if their markets return before it is confirmed', () => {
    const watcher = new Watcher(all(WORLD));
    watcher.see(0, all(without('RU')));
    watcher.see(15, all(WORLD));
    expect(watcher.dismissed).toMatchObject([{ reason: 'back', suspicion: { difference: { entityType: 'artist' } } }]);
    expect([watcher.suspicions, watcher.confirmed]).toEqual([[], []]);
  });

  test('other markets lost by individual releases are reported separately', () => {
    const watcher = new Watcher(all(WORLD));
    const seen = { ...all(without('RU')), r1: without('RU', 'JP'), r2: without('DE') };
    for (const minute of [0, 15, 30]) watcher.see(minute, seen);
    expect(watcher.said().sort()).toEqual([
      'availability_reduced of artist a1: RU, 8 of 9',
      'availability_reduced:r1:JP',
      'availability_reduced:r2:DE',
    ]);
    expect(watcher.baseline.releases.map(({ markets }) => markets)).toEqual(
      state(seen).releases.map(({ markets }) => markets),
    );
  });

  test('two releases are too few to be reported as one change to the artist', () => {
    const watcher = new Watcher(all(WORLD));
    const seen = { ...all(WORLD), r1: without('RU'), r2: without('RU') };
    for (const minute of [0, 15, 30]) watcher.see(minute, seen);
    expect(watcher.said()).toEqual(['availability_reduced:r1:RU', 'availability_reduced:r2:RU']);
  });

  test('a missing release is reported as removed, even if the other releases lost a market', () => {
    const watcher = new Watcher(all(WORLD));
    const others = IDS.slice(1);
    for (const minute of [0, 15, 30]) watcher.see(minute, all(without('RU'), others));
    expect(watcher.said().sort()).toEqual(['availability_reduced of artist a1: RU, 8 of 9', 'release_removed:r1:']);
  });

  test('a release that disappears before the change is confirmed does not delay the other releases', () => {
    const watcher = new Watcher(all(WORLD));
    watcher.see(0, all(without('RU')));
    for (const minute of [15, 30]) watcher.see(minute, all(without('RU'), IDS.slice(1)));
    expect(watcher.said()).toEqual(['availability_reduced of artist a1: RU, 8 of 9']);
    expect(watcher.suspicions.map(({ key }) => key)).toEqual(['release_removed:r1:']);
  });

  test('the combined change has the highest severity among the changes to its releases', () => {
    const watcher = new Watcher({ ...all(WORLD), r1: ['AM', 'RU'] });
    for (const minute of [0, 15, 30]) watcher.see(minute, { ...all(without('RU')), r1: ['AM'] });
    expect(watcher.confirmed).toMatchObject([{ suspicion: { difference: { severity: 'critical' } } }]);
  });

  test.each([
    ['missing', undefined],
    ['an empty list', []],
  ])('a release whose markets are %s in one observation delays the change but is part of it', (_, markets) => {
    const watcher = new Watcher(all(WORLD));
    watcher.see(0, all(without('RU')));
    watcher.see(15, { ...all(without('RU')), r1: markets });
    watcher.see(30, all(without('RU')));
    expect(watcher.confirmed).toEqual([]);
    watcher.see(45, all(without('RU')));
    expect(watcher.said()).toEqual(['availability_reduced of artist a1: RU, 9 of 9']);
  });

  test('an observation without markets neither confirms nor dismisses the change', () => {
    const watcher = new Watcher(all(WORLD));
    watcher.see(0, all(without('RU')));
    for (const minute of [15, 30, 45]) expect(watcher.see(minute, all(undefined))).toMatchObject({ dismissed: [] });
    for (const minute of [60, 75]) watcher.see(minute, all(without('RU')));
    expect(watcher.said()).toEqual(['availability_reduced of artist a1: RU, 9 of 9']);
  });

  test('a release that is no longer read delays the other releases only for a limited time', () => {
    const watcher = new Watcher(all(WORLD));
    watcher.see(0, all(without('RU')));
    for (const minute of [15, 30, 45, 60]) watcher.see(minute, { ...all(without('RU')), r1: undefined });
    expect(watcher.said()).toEqual(['availability_reduced of artist a1: RU, 8 of 9']);
  });

  test('releases that lose or gain the market later are part of the change, each with its own evidence', () => {
    const watcher = new Watcher(all(without('BR')));
    watcher.see(0, { ...all(without('BR')), r1: WORLD, r2: WORLD, r3: WORLD });
    watcher.see(15, { ...all(WORLD), r9: without('BR') });
    expect(watcher.confirmed).toEqual([]);
    watcher.see(30, { ...all(WORLD), r9: without('BR') });
    expect(watcher.said()).toEqual(['availability_expanded of artist a1: BR, 8 of 9']);
  });

  test('a suspicion about an individual release becomes part of the change', () => {
    const watcher = new Watcher(all(without('BR')));
    watcher.see(0, { ...all(without('BR')), r1: WORLD });
    expect(watcher.see(15, all(WORLD)).dismissed).toMatchObject([{ reason: 'superseded' }]);
    watcher.see(30, all(WORLD));
    expect(watcher.said()).toEqual(['availability_expanded of artist a1: BR, 9 of 9']);
  });

  test('if only two releases still lack the market, each is reported separately', () => {
    const watcher = new Watcher(all(WORLD));
    watcher.see(0, all(without('RU')));
    const two = { ...all(WORLD), r1: without('RU'), r2: without('RU') };
    expect(watcher.see(15, two).dismissed).toMatchObject([{ reason: 'superseded' }]);
    for (const minute of [30, 45]) watcher.see(minute, two);
    expect(watcher.said()).toEqual(['availability_reduced:r1:RU', 'availability_reduced:r2:RU']);
  });

  test('every release that loses a market is read in detail, and so are up to four other releases', () => {
    const watcher = new Watcher({ ...all(WORLD), r9: without('RU') });
    watcher.see(0, { ...all(WORLD), r5: without('RU'), r9: without('RU') });
    const asked = () => {
      const suspected = watcher.suspicions.map(({ difference }) => difference);
      return planFollowUp(suspected, { releases: watcher.baseline.releases, listsMarkets: false }).fullReleaseIds;
    };
    expect(asked()).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
    watcher.see(15, all(without('RU')));
    expect(asked()).toEqual(IDS.slice(0, 8));
  });
});

describe('for any market history,', () => {
  const markets = fc.option(fc.subarray(['DE', 'FR', 'JP', 'RU'], { minLength: 1 }), { nil: undefined, freq: 5 });
  const known = fc.subarray(['DE', 'FR', 'JP', 'RU'], { minLength: 1 });
  const catalogueOf = (one: fc.Arbitrary<readonly string[] | undefined>) =>
    fc.tuple(...IDS.slice(0, 6).map(() => one)).map((each) => Object.fromEntries(each.map((m, n) => [`r${n + 1}`, m])));
  const history = fc.tuple(catalogueOf(known), fc.array(catalogueOf(markets), { maxLength: 6 }), catalogueOf(known));

  test('every changed market of a release is reported exactly once', () => {
    fc.assert(
      fc.property(history, ([before, , after]) => {
        const observation = { kind: 'complete', observedAt: at(0), state: state(after) } as const;
        const baseline = firstBaseline(state(before));
        const found = findDifferences({ baseline, observation, suspicions: [], followersHistory: [] });
        const reported = found.flatMap((difference) => {
          const whole = catalogueAvailability(difference);
          if (whole === null) return [[difference.entityId, ...changedMarkets(difference)]];
          expect(whole.releases.length).toBeGreaterThanOrEqual(3);
          return whole.releases.map(({ platformId }) => [platformId, ...whole.markets]);
        });
        const moved = Object.entries(after).flatMap(([id, is]) =>
          ['DE', 'FR', 'JP', 'RU']
            .filter((one) => is?.includes(one) !== before[id]?.includes(one))
            .map((one) => `${id} ${one}`),
        );
        expect(reported.flatMap(([id, ...each]) => each.map((one) => `${id} ${one}`)).sort()).toEqual(moved.sort());
      }),
    );
  });

  test('each release in a confirmed change has as many observations as the rule needs', () => {
    fc.assert(
      fc.property(history, ([before, sights, after]) => {
        const watcher = new Watcher(before);
        for (const [index, sight] of [...sights, after, after, after, after, after].entries())
          watcher.see(index * 15, sight);
        for (const { suspicion } of watcher.confirmed) {
          const whole = catalogueAvailability(suspicion.difference);
          const needed = suspicion.difference.rule === 'absence' ? 3 : 2;
          for (const { platformId } of whole?.releases ?? []) {
            const seen = suspicion.observations.filter(({ seen }) => JSON.stringify(seen).includes(`"${platformId}"`));
            expect(seen.length).toBeGreaterThanOrEqual(needed);
          }
        }
      }),
    );
  });

  test('once the platform stops changing, no differences and no suspicions remain', () => {
    fc.assert(
      fc.property(history, ([before, sights, after]) => {
        const watcher = new Watcher(before);
        for (const [index, sight] of sights.entries()) watcher.see(index * 15, sight);
        for (let minute = 1_000; minute <= 1_200; minute += 15) watcher.see(minute, after);
        expect(watcher.suspicions).toEqual([]);
        expect(watcher.baseline.releases.map(({ markets: where }) => where)).toEqual(
          Object.values(after).map((where) => where?.toSorted()),
        );
      }),
    );
  });
});
