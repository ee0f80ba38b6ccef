/** Catalogues are small, so that ids, ISRCs and titles often repeat. */
import fc from 'fast-check';
import type { CatalogueState, Credit, ReleaseState, TrackState } from '../catalogue.js';
import type { Advance, ConfirmationSettings } from '../detection/confirmation.js';
import type { Suspicion } from '../detection/suspicion.js';

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

const title = fc.constantFrom('Vespertine', 'Début', 'De\u0301but', 'Début ', 'Post', 'Homo  genic', 'Homo genic', '');
const isrc = fc.integer({ min: 0, max: 30 }).map((n) => `GBAAA01${String(n).padStart(5, '0')}`);
const market = fc.constantFrom('DE', 'FR', 'GB', 'IS', 'JP', 'us', 'US');

/** Each id has only one name, because a rename cannot be detected if the id is missing. */
const credit: fc.Arbitrary<Credit> = fc.constantFrom(
  { platformId: 'a1', name: 'Björk' },
  { platformId: 'a1', name: 'Bjo\u0308rk' },
  { platformId: 'a2', name: 'Arca' },
  { platformId: 'a3', name: 'Arca' },
  { platformId: undefined, name: 'Björk ' },
  { platformId: undefined, name: 'Arca' },
  { platformId: undefined, name: 'Matmos' },
);

const track: fc.Arbitrary<TrackState> = fc.record({
  platformId: fc.integer({ min: 1, max: 25 }).map((n) => `t${n}`),
  title: maybe(title),
  isrc: maybe(isrc),
  position: maybe(fc.integer({ min: 1, max: 8 })),
  explicit: maybe(fc.boolean()),
  credits: maybe(fc.array(credit, { maxLength: 3 })),
});

const byId = { selector: (entity: { readonly platformId: string }) => entity.platformId };

const release: fc.Arbitrary<ReleaseState> = fc.record({
  platformId: fc.integer({ min: 1, max: 12 }).map((n) => `r${n}`),
  title: maybe(title),
  type: maybe(fc.constantFrom('album', 'single')),
  releaseDate: maybe(fc.constantFrom('2001', '2001-08', '2001-08-27', '2001-08-00', '1993-07-05', '0000-00-00', '')),
  artworkId: maybe(fc.constantFrom('p1', 'p2', 'p3')),
  label: maybe(fc.constantFrom('One Little Indian', 'One  Little Indian', 'Elektra', '')),
  upc: maybe(fc.constantFrom('724381061527', '0724381061527', '5016958997038', '075596265324')),
  explicit: maybe(fc.boolean()),
  credits: maybe(fc.array(credit, { maxLength: 3 })),
  markets: maybe(fc.array(market, { maxLength: 6 })),
  tracks: maybe(fc.uniqueArray(track, { ...byId, maxLength: 6 })),
});

export const catalogue: fc.Arbitrary<CatalogueState> = fc.record({
  artist: fc.record({
    platformId: fc.constant('a1'),
    name: maybe(fc.constantFrom('Björk', 'Bjo\u0308rk', 'Björk Guðmundsdóttir')),
    imageId: maybe(fc.constantFrom('i1', 'i2')),
    followers: maybe(fc.nat(1_000_000)),
    monthlyListeners: maybe(fc.nat(1_000_000)),
  }),
  releases: fc.uniqueArray(release, { ...byId, maxLength: 8 }),
});

export function shuffled(state: CatalogueState, seed: number): CatalogueState {
  return {
    artist: state.artist,
    releases: inOtherOrder(state.releases, seed).map((one) => ({
      ...one,
      credits: one.credits && inOtherOrder(one.credits, seed),
      markets: one.markets && inOtherOrder(one.markets, seed),
      tracks:
        one.tracks &&
        inOtherOrder(one.tracks, seed).map((each) => ({
          ...each,
          credits: each.credits && inOtherOrder(each.credits, seed),
        })),
    })),
  };
}

function inOtherOrder<Item>(items: readonly Item[], seed: number): readonly Item[] {
  let state = seed;
  return items
    .map((item) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return { item, place: state };
    })
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

export function blurred(state: CatalogueState, seed: number): CatalogueState {
  let random = seed;
  const forget = (): boolean => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0;
    return random >>> 30 === 0;
  };
  const keep = <Value>(value: Value): Value | undefined => (forget() ? undefined : value);
  return {
    artist: { ...state.artist, name: keep(state.artist.name), imageId: keep(state.artist.imageId) },
    releases: state.releases.map((one) => ({
      ...one,
      title: keep(one.title),
      releaseDate: keep(one.releaseDate),
      artworkId: keep(one.artworkId),
      label: keep(one.label),
      upc: keep(one.upc),
      markets: keep(one.markets),
      tracks: keep(one.tracks)?.map((each) => ({
        ...each,
        title: keep(each.title),
        isrc: keep(each.isrc),
        explicit: keep(each.explicit),
        credits: keep(each.credits)?.map((who) => ({ ...who, platformId: keep(who.platformId) })),
      })),
    })),
  };
}

export const CONFIRMATION_SETTINGS: ConfirmationSettings = {
  observations: 3,
  spanMs: 30 * 60_000,
  intervalMs: 15 * 60_000,
};

export function openAfter(suspicions: readonly Suspicion[], advance: Advance): Suspicion[] {
  const settled = new Set([...advance.confirmed, ...advance.dismissed].map(({ suspicion }) => suspicion.key));
  const grown = new Map([...advance.noted, ...advance.strengthened].map((suspicion) => [suspicion.key, suspicion]));
  const kept = suspicions.filter(({ key }) => !settled.has(key)).map((one) => grown.get(one.key) ?? one);
  return [...kept, ...advance.opened];
}
