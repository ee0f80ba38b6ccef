import { createPlatformClient } from '@artist-watch/catalogue/create-platform-client';
import type { PlatformClient, ReadDepth } from '@artist-watch/catalogue/port';
import type { CatalogueState, Observation } from '@artist-watch/domain/catalogue';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { QuirksInput } from '../quirks/quirks.js';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import { CONTENT_ID_CHARS } from '../spotify/shapes.js';
import type { SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import { contradictions, type Sight, truthOf } from './truth.js';

const HOUR_MS = 3_600_000;
/** Three of them begin in either mode. */
const PASSES = 3 * Number(process.env.CONFORMANCE_READINGS ?? 1);
const [ORDINARY, PROLIFIC, OTHER] = [0, 1, 3];
const signal = new AbortController().signal;

const SIGHT: Sight = {
  pictureId: (id) => id.slice(0, CONTENT_ID_CHARS),
  releaseType: (type) => (type === 'ep' ? 'single' : type),
  releaseExplicit: () => undefined,
};

let simulator: PlatformSimulator;
let nowMs: number;
let taken: number;
let client: PlatformClient;
const clients: PlatformClient[] = [];

beforeAll(async () => {
  simulator = await startPlatformSimulator({
    platform: 'spotify',
    seed: 'development',
    artists: 6,
    budget: 'unlimited',
    clock: { now: () => new Date(nowMs) },
  });
});
beforeEach(() => {
  nowMs = Date.parse('2026-03-14T12:00:00Z');
  taken = 0;
  develop();
  // As services make it: nothing says in which mode the app is.
  client = createPlatformClient(
    {
      PLATFORM: 'spotify',
      PLATFORM_URL: simulator.url,
      SPOTIFY_ACCOUNTS_URL: simulator.url,
      SPOTIFY_CLIENT_ID: 'id',
      SPOTIFY_CLIENT_SECRET: 'secret',
    },
    {
      clock: { now: () => new Date(nowMs) },
      budget: {
        take: async (requests) => {
          taken += requests;
        },
        penalise: async () => undefined,
      },
      retryDelaysMs: [0, 0],
    },
  );
  clients.push(client);
  simulator.requests.clear();
});
afterAll(async () => {
  for (const each of clients) each.close();
  await simulator.stop();
});

const develop = (quirks: QuirksInput = {}) => simulator.setQuirks({ ...quirks, developmentMode: 1 });
const artistId = (index: number) => simulator.state.idOf('artist', index);
const read = (index: number, depth: ReadDepth): Promise<Observation> =>
  client.readArtist(artistId(index), { depth, signal });
const truth = (index: number) => truthOf(simulator.state, artistId(index), undefined, SIGHT);
const stateOf = (observation: Observation) => {
  if (observation.kind !== 'complete') throw new Error(`not complete, but ${JSON.stringify(observation)}`);
  return observation.state;
};
const aRelease = () => simulator.state.releasesOf(artistId(ORDINARY))[0] as SimulatedRelease;
const aTrack = () => simulator.state.tracksOf(aRelease().id)[0] as SimulatedTrack;

const inIdOrder = <One extends { readonly platformId: string }>(list: readonly One[]) =>
  list.toSorted((a, b) => a.platformId.localeCompare(b.platformId));

/** How often something was asked for whose address has this in it. */
function asked(part: string): number {
  const { byPath } = simulator.requests.counts();
  return Object.entries(byPath).reduce((sum, [path, times]) => sum + (path.includes(part) ? times : 0), 0);
}

describe('a Spotify app in development mode', () => {
  test('has an artist of 130 releases read whole, ten at a time, without a setting', async () => {
    const { releases } = stateOf(await read(PROLIFIC, 'shallow'));
    expect(releases).toHaveLength(130);
    expect(contradictions({ ...truth(PROLIFIC), releases }, truth(PROLIFIC))).toEqual([]);
    expect([asked('limit=50'), asked('limit=10')]).toEqual([1, 13]);
  });

  test('has each release read with its tracks and codes; what is left out is unknown', async () => {
    const { artist, releases } = stateOf(await read(ORDINARY, 'deep'));
    const known = truth(ORDINARY);
    expect({ artist, releases: inIdOrder(releases) }).toEqual({
      artist: { ...known.artist, followers: undefined },
      releases: inIdOrder(known.releases).map((release) => ({ ...release, label: undefined, markets: undefined })),
    });
  });

  test('is not asked twice for what it may not have: the next reading begins with what it may', async () => {
    await read(ORDINARY, 'deep');
    const refused = () => [asked('compilation&limit=50'), asked('?ids=')];
    const [pages, batches] = refused();
    expect(pages).toBe(1);
    // As many as are under way at once before the first of them is refused.
    expect(batches).toBeGreaterThan(0);
    expect(batches).toBeLessThanOrEqual(4);
    await read(OTHER, 'deep');
    await read(ORDINARY, 'deep');
    expect(refused()).toEqual([pages, batches]);
  });

  test('that is let into extended quota mode is read in large pages and batches within the hour', async () => {
    await read(PROLIFIC, 'shallow');
    await read(ORDINARY, 'deep');
    simulator.setQuirks({});
    nowMs += HOUR_MS;
    simulator.requests.clear();
    stateOf(await read(PROLIFIC, 'shallow'));
    stateOf(await read(ORDINARY, 'deep'));
    expect(asked('limit=10')).toBe(0);
    expect(asked('/v1/albums?ids=')).toBeGreaterThan(0);
    expect(asked('/v1/tracks?ids=')).toBeGreaterThan(0);
  });

  test('that leaves extended quota mode loses no reading', async () => {
    simulator.setQuirks({});
    stateOf(await read(PROLIFIC, 'shallow'));
    develop();
    expect(stateOf(await read(PROLIFIC, 'shallow')).releases).toHaveLength(130);
    const tracksIn = ({ releases }: CatalogueState) => inIdOrder(releases).map(({ tracks }) => tracks?.length);
    expect(tracksIn(stateOf(await read(ORDINARY, 'deep')))).toEqual(tracksIn(truth(ORDINARY)));
  });

  test('has every request taken from the budget, refused ones too', async () => {
    await read(PROLIFIC, 'shallow');
    await read(ORDINARY, 'deep');
    expect(taken).toBe(simulator.requests.counts().total);
  });

  test('has tracks looked up by their id and by their ISRC', async () => {
    const { id, isrc, releaseId } = aTrack();
    const release = { platformId: releaseId, upc: aRelease().upc };
    expect(await client.lookupTrack(id, { signal })).toMatchObject({ kind: 'found', track: { isrc, release } });
    const found = await client.findTracksByIsrc(isrc, { signal });
    expect(found.kind === 'found' && found.tracks.map(({ platformId }) => platformId)).toContain(id);
    expect(await client.findTracksByIsrc('ZZZZZ0000000', { signal })).toEqual({ kind: 'not_found' });
  });

  test('takes no refusal for an absence: what is there is alive, what is gone is gone', async () => {
    await read(ORDINARY, 'deep');
    expect(await client.readDirectly('release', aRelease().id, { signal })).toBe('alive');
    expect(await client.readDirectly('track', aTrack().id, { signal })).toBe('alive');
    expect(await client.readDirectly('release', '0'.repeat(22), { signal })).toBe('gone');
  });

  test('has a takedown confirmed, although no market is ever named to it', async () => {
    const { id } = simulator.additions.addRelease({ artistId: artistId(5), tracks: 1 });
    develop({ removedStillAnswers: 1 });
    expect(await client.readDirectly('release', id, { signal })).toBe('alive');
    simulator.state.changeRelease(id, { removed: true });
    expect(await client.readDirectly('release', id, { signal })).toBe('gone');
    develop();
    expect(await client.readDirectly('release', id, { signal })).toBe('gone');
  });

  test('has its own tracks read, although nothing says which ones stand in place of others', async () => {
    const before = stateOf(await read(OTHER, 'deep'));
    develop({ relinkedTracks: 1 });
    expect(stateOf(await read(OTHER, 'deep'))).toEqual(before);
  });

  test.each<[string, QuirksInput]>([
    ['no quirk', {}],
    ['releases that say "no data"', { noDataError: { probability: 0.15, paths: '^/v1/(albums|tracks)' } }],
    ['later pages that fail', { laterPageFails: 0.1 }],
    ['first pages in place of later ones', { repeatedPage: 0.1 }],
    ['missing items', { missingItem: 0.1 }],
    ['totals that are too small', { wrongTotal: { probability: 0.1, by: -1 } }],
    ['vanishing fields', { vanishingFields: 0.1 }],
    [
      'other releases and tracks in place of those asked for',
      { relink: { probability: 0.1, paths: '^/v1/(a|t).*s/' } },
    ],
    ['other tracks in place of its own', { relinkedTracks: 0.5 }],
    ['no market', { emptyMarkets: 0.5 }],
    ['hollow answers', { hollowAnswer: 0.1 }],
    ['5xx', { serverError: 0.1 }],
    ['404s of a gateway', { serverError: { probability: 0.1, status: 404 } }],
  ])('with %s reads nothing wrong, nor a wrong absence', async (_, quirks) => {
    let complete = 0;
    for (let pass = 0; pass < PASSES; pass++) {
      // Some readings begin in extended quota mode, and in some of them the ways that were refused are tried again.
      if (pass % 3 === 0) simulator.setQuirks(quirks);
      else develop(quirks);
      nowMs += HOUR_MS / 2;
      for (const [index, depth] of [
        [PROLIFIC, 'shallow'],
        [ORDINARY, 'deep'],
        [OTHER, 'deep'],
      ] as const) {
        const observation = await read(index, depth);
        expect(observation.kind).not.toBe('artist_gone');
        if (observation.kind !== 'complete') continue;
        complete++;
        expect(contradictions(observation.state, truth(index))).toEqual([]);
      }
    }
    expect(complete).toBeGreaterThan(0);
  });
});
