import { createPlatformClient } from '@artist-watch/catalogue/create-platform-client';
import type { PlatformClient, ReadDepth } from '@artist-watch/catalogue/port';
import type { CatalogueState, Observation } from '@artist-watch/domain/catalogue';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { QuirksInput } from '../quirks/quirks.js';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import { CONTENT_ID_CHARS } from '../spotify/shapes.js';
import type { SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import { contradictions, expectedState, type Sight } from './truth.js';

const HOUR_MS = 3_600_000;
/** Only one in three passes starts in extended quota mode. */
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
  useDevelopmentMode();
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

const useDevelopmentMode = (quirks: QuirksInput = {}) => simulator.setQuirks({ ...quirks, developmentMode: 1 });
const artistId = (index: number) => simulator.state.idOf('artist', index);
const read = (index: number, depth: ReadDepth): Promise<Observation> =>
  client.readArtist(artistId(index), { depth, signal });
const truth = (index: number) => expectedState(simulator.state, artistId(index), undefined, SIGHT);
const requireState = (observation: Observation) => {
  if (observation.kind !== 'complete')
    throw new Error(`The observation is not complete: ${JSON.stringify(observation)}`);
  return observation.state;
};
const aRelease = () => simulator.state.releasesOf(artistId(ORDINARY))[0] as SimulatedRelease;
const aTrack = () => simulator.state.tracksOf(aRelease().id)[0] as SimulatedTrack;

const inIdOrder = <One extends { readonly platformId: string }>(list: readonly One[]) =>
  list.toSorted((a, b) => a.platformId.localeCompare(b.platformId));

function countRequests(part: string): number {
  const { byPath } = simulator.requests.counts();
  return Object.entries(byPath).reduce((sum, [path, times]) => sum + (path.includes(part) ? times : 0), 0);
}

describe('a Spotify app in development mode', () => {
  test('an app in development mode reads all 130 releases of an artist, ten at a time, without a special setting', async () => {
    const { releases } = requireState(await read(PROLIFIC, 'shallow'));
    expect(releases).toHaveLength(130);
    expect(contradictions({ ...truth(PROLIFIC), releases }, truth(PROLIFIC))).toEqual([]);
    expect([countRequests('limit=50'), countRequests('limit=10')]).toEqual([1, 13]);
  });

  test('an app in development mode reads each release with tracks and codes, and treats omitted fields as unknown', async () => {
    const { artist, releases } = requireState(await read(ORDINARY, 'deep'));
    const known = truth(ORDINARY);
    expect({ artist, releases: inIdOrder(releases) }).toEqual({
      artist: { ...known.artist, followers: undefined },
      releases: inIdOrder(known.releases).map((release) => ({ ...release, label: undefined, markets: undefined })),
    });
  });

  test('a rejected kind of request is not repeated, and the next read uses only the allowed kinds', async () => {
    await read(ORDINARY, 'deep');
    const rejected = () => [countRequests('compilation&limit=50'), countRequests('?ids=')];
    const [pages, batches] = rejected();
    expect(pages).toBe(1);
    expect(batches).toBeGreaterThan(0);
    expect(batches).toBeLessThanOrEqual(4);
    await read(OTHER, 'deep');
    await read(ORDINARY, 'deep');
    expect(rejected()).toEqual([pages, batches]);
  });

  test('large pages and batches are used within an hour of moving to extended quota mode', async () => {
    await read(PROLIFIC, 'shallow');
    await read(ORDINARY, 'deep');
    simulator.setQuirks({});
    nowMs += HOUR_MS;
    simulator.requests.clear();
    requireState(await read(PROLIFIC, 'shallow'));
    requireState(await read(ORDINARY, 'deep'));
    expect(countRequests('limit=10')).toBe(0);
    expect(countRequests('/v1/albums?ids=')).toBeGreaterThan(0);
    expect(countRequests('/v1/tracks?ids=')).toBeGreaterThan(0);
  });

  test('no observation is lost after an app leaves extended quota mode', async () => {
    simulator.setQuirks({});
    requireState(await read(PROLIFIC, 'shallow'));
    useDevelopmentMode();
    expect(requireState(await read(PROLIFIC, 'shallow')).releases).toHaveLength(130);
    const tracksIn = ({ releases }: CatalogueState) => inIdOrder(releases).map(({ tracks }) => tracks?.length);
    expect(tracksIn(requireState(await read(ORDINARY, 'deep')))).toEqual(tracksIn(truth(ORDINARY)));
  });

  test('every request counts against the budget, even if it is rejected', async () => {
    await read(PROLIFIC, 'shallow');
    await read(ORDINARY, 'deep');
    expect(taken).toBe(simulator.requests.counts().total);
  });

  test('an app in development mode looks up tracks by id and by ISRC', async () => {
    const { id, isrc, releaseId } = aTrack();
    const release = { platformId: releaseId, upc: aRelease().upc };
    expect(await client.lookupTrack(id, { signal })).toMatchObject({ kind: 'found', track: { isrc, release } });
    const found = await client.findTracksByIsrc(isrc, { signal });
    expect(found.kind === 'found' && found.tracks.map(({ platformId }) => platformId)).toContain(id);
    expect(await client.findTracksByIsrc('ZZZZZ0000000', { signal })).toEqual({ kind: 'not_found' });
  });

  test('a rejected request is never treated as an absence', async () => {
    await read(ORDINARY, 'deep');
    expect(await client.readDirectly('release', aRelease().id, { signal })).toBe('alive');
    expect(await client.readDirectly('track', aTrack().id, { signal })).toBe('alive');
    expect(await client.readDirectly('release', '0'.repeat(22), { signal })).toBe('gone');
  });

  test('an app in development mode confirms a removal, although it never gets markets', async () => {
    const { id } = simulator.additions.addRelease({ artistId: artistId(5), tracks: 1 });
    useDevelopmentMode({ removedStillAnswers: 1 });
    expect(await client.readDirectly('release', id, { signal })).toBe('alive');
    simulator.state.changeRelease(id, { removed: true });
    expect(await client.readDirectly('release', id, { signal })).toBe('gone');
    useDevelopmentMode();
    expect(await client.readDirectly('release', id, { signal })).toBe('gone');
  });

  test('an app in development mode reads the original tracks, although responses do not mark relinked tracks', async () => {
    const before = requireState(await read(OTHER, 'deep'));
    useDevelopmentMode({ relinkedTracks: 1 });
    expect(requireState(await read(OTHER, 'deep'))).toEqual(before);
  });

  test.each<[string, QuirksInput]>([
    ['no quirk', {}],
    ['"no data" for releases', { noDataError: { probability: 0.15, paths: '^/v1/(albums|tracks)' } }],
    ['errors on later pages', { laterPageFails: 0.1 }],
    ['repeated first pages', { repeatedPage: 0.1 }],
    ['missing items', { missingItem: 0.1 }],
    ['totals that are too small', { wrongTotal: { probability: 0.1, by: -1 } }],
    ['missing fields', { vanishingFields: 0.1 }],
    ['releases and tracks other than the requested ones', { relink: { probability: 0.1, paths: '^/v1/(a|t).*s/' } }],
    ['relinked tracks', { relinkedTracks: 0.5 }],
    ['no markets', { emptyMarkets: 0.5 }],
    ['releases and tracks with blank fields', { hollowAnswer: 0.1 }],
    ['5xx', { serverError: 0.1 }],
    ['404s of a gateway', { serverError: { probability: 0.1, status: 404 } }],
  ])('observations and absences are correct in development mode despite %s', async (_, quirks) => {
    let complete = 0;
    for (let pass = 0; pass < PASSES; pass++) {
      // Every third pass is in extended quota mode. The client forgets a rejection after an hour (two passes), so some
      // passes send the rejected requests again.
      if (pass % 3 === 0) simulator.setQuirks(quirks);
      else useDevelopmentMode(quirks);
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
