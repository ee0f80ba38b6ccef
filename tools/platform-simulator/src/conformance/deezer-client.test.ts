import { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import { DeezerClient } from '@artist-watch/catalogue/deezer/deezer-client';
import type { ReadDepth } from '@artist-watch/catalogue/port';
import type { ReleaseState } from '@artist-watch/domain/catalogue';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import { describeClientContract } from './client-contract.js';

const clock = { now: () => new Date() };
const signal = new AbortController().signal;

describe('the Deezer client', () => {
  describeClientContract({
    platform: 'deezer',
    createClient: (options) => new DeezerClient({ ...options, clock, retryDelaysMs: [0, 0] }),
    artistPath: '^/artist/\\d+$',
    releasesPath: '/albums',
    releasePaths: '^/album/',
    unknownId: '1',
    essentialFields: ['id', 'data', 'total', 'next', 'tracks'],
    country: 'FR',
    sees: { pictureId: (id) => id, releaseType: (type) => type, releaseExplicit: (explicit) => explicit },
  });

  describe('Deezer-specific behavior', () => {
    const budget = () => new PlatformBudget({ rules: { limit: 10_000, windowMs: 1_000, burst: 1_000 } });
    let nowMs = 0;
    let simulator: PlatformSimulator;
    let client: DeezerClient;
    let clientAtHome: DeezerClient;
    const prolific = '5000001';

    beforeAll(async () => {
      simulator = await startPlatformSimulator({
        platform: 'deezer',
        seed: 'conformance',
        artists: 3,
        budget: 'unlimited',
        clock: { now: () => new Date(nowMs) },
      });
      const options = { baseUrl: simulator.url, clock, budget: budget(), retryDelaysMs: [] };
      client = new DeezerClient(options);
      clientAtHome = new DeezerClient({ ...options, expectedCountry: 'FR' });
    });
    afterAll(async () => {
      client.close();
      clientAtHome.close();
      await simulator.stop();
    });

    test('responses for an unexpected country are never used', async () => {
      const hidden = simulator.state.releasesOf(prolific).filter((release) => !release.markets.includes('US'));
      const [first] = hidden;
      if (!first) throw new Error('The catalogue has no release that is hidden abroad.');
      simulator.setQuirks({ foreignCountry: { probability: 0.5, country: 'US', holdMs: 10_000 } });
      const kinds = new Set<string>();
      for (let i = 0; i < 20; i++) {
        nowMs += 10_000;
        const observation = await clientAtHome.readArtist(prolific, { depth: 'shallow', signal });
        kinds.add(observation.kind);
        if (observation.kind === 'complete') expect(observation.state.releases).toHaveLength(130);
        expect(await clientAtHome.readDirectly('release', first.id, { signal })).not.toBe('gone');
      }
      expect(kinds).toEqual(new Set(['complete', 'incomplete']));
      simulator.setQuirks({});
    });

    test('a missing artist whose list is empty is reported as gone', async () => {
      expect(await client.readArtist('1', { depth: 'shallow', signal })).toHaveProperty('kind', 'artist_gone');
    });

    test('a shallow poll needs one request for the artist and one per hundred releases', async () => {
      simulator.requests.clear();
      await client.readArtist(prolific, { depth: 'shallow', signal });
      expect(simulator.requests.counts()).toEqual({
        total: 3,
        byPath: {
          [`/artist/${prolific}`]: 1,
          [`/artist/${prolific}/albums?index=0&limit=100`]: 1,
          [`/artist/${prolific}/albums?index=100&limit=100`]: 1,
        },
      });
    });

    test('the client reports a removed track as gone and omits it from its release, even if Deezer still returns it', async () => {
      const { id } = simulator.additions.addRelease({ artistId: '5000002', tracks: 3 });
      const [first, ...others] = simulator.state.tracksOf(id).map((track) => track.id) as [string, ...string[]];
      const read = async (depth: ReadDepth) => {
        const observation = await client.readArtist('5000002', { depth, signal });
        const releases = observation.kind === 'complete' ? observation.state.releases : [];
        return releases.find(({ platformId }) => platformId === id);
      };
      const trackIds = (release: ReleaseState | undefined) => release?.tracks?.map(({ platformId }) => platformId);

      simulator.setQuirks({ unreadableTracks: 1 });
      expect(await client.readDirectly('track', first, { signal })).toBe('alive');
      expect(trackIds(await read('deep'))).toEqual([first, ...others]);

      simulator.state.changeTrack(first, { removed: true });
      simulator.setQuirks({ removedStillAnswers: 1 });
      expect(await client.readDirectly('track', first, { signal })).toBe('gone');
      expect(trackIds(await read('deep'))).toEqual(others);
      expect(trackIds(await read('full'))).toEqual(others);
      expect((await read('full'))?.markets?.length).toBeGreaterThan(100);
      simulator.setQuirks({});
      expect(await client.readDirectly('track', first, { signal })).toBe('gone');
    });

    test('a removed release is reported as gone, even if Deezer still returns it with its tracks', async () => {
      const { id } = simulator.additions.addRelease({ artistId: '5000002', tracks: 3 });
      simulator.setQuirks({ unreadableTracks: 1 });
      expect(await client.readDirectly('release', id, { signal })).toBe('alive');

      simulator.state.changeRelease(id, { removed: true });
      simulator.setQuirks({ removedStillAnswers: 1 });
      const answer = await fetch(`${simulator.url}/album/${id}`).then((response) => response.json());
      expect(answer).toMatchObject({ id: Number(id), tracks: { data: [{ readable: false }, {}, {}] } });
      expect(await client.readDirectly('release', id, { signal })).toBe('gone');
      // The client also treats a removed release as gone if the API still returns it, but no longer returns its tracks.
      simulator.setQuirks({ removedStillAnswers: { probability: 1, paths: '^/album/' } });
      expect(await client.readDirectly('release', id, { signal })).toBe('gone');
      // An error for a track says nothing about the release.
      simulator.setQuirks({ removedStillAnswers: 1, notJson: { probability: 1, paths: '^/track/' } });
      expect(await client.readDirectly('release', id, { signal })).toBe('unknown');
      simulator.setQuirks({});
    });

    test('an announced release does not count as removed, and its tracks are unknown until they are playable', async () => {
      const releaseDate = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
      const { id } = simulator.additions.addRelease({ artistId: '5000002', tracks: 3, releaseDate });
      const [track] = simulator.state.tracksOf(id).map((one) => one.id) as [string];
      const tracks = async () => {
        const observation = await client.readArtist('5000002', { depth: 'full', signal });
        const releases = observation.kind === 'complete' ? observation.state.releases : [];
        return releases.find(({ platformId }) => platformId === id)?.tracks;
      };
      simulator.setQuirks({ unplayableUntilOut: 1 });
      expect(await client.readDirectly('release', id, { signal })).toBe('alive');
      expect(await client.readDirectly('track', track, { signal })).toBe('alive');
      expect(await tracks()).toBeUndefined();
      // The day starts at different times in different time zones, so a release can already be out while its date is
      // still in the future for the client.
      simulator.state.changeRelease(id, { releaseDate: new Date().toISOString().slice(0, 10) });
      nowMs = Date.now() - 2 * 86_400_000;
      expect(await tracks()).toHaveLength(3);
      expect(await client.readDirectly('release', id, { signal })).toBe('alive');
      nowMs = 0;
      simulator.state.changeRelease(id, { removed: true });
      simulator.setQuirks({});
    });

    test('a release without tracks is not reported as gone', async () => {
      const { id } = simulator.additions.addRelease({ artistId: '5000002', tracks: 0 });
      expect(await client.readDirectly('release', id, { signal })).toBe('unknown');
      const observation = await client.readArtist('5000002', { depth: 'deep', signal });
      const releases = observation.kind === 'complete' ? observation.state.releases : [];
      expect(releases.find(({ platformId }) => platformId === id)).toHaveProperty('tracks', undefined);
      simulator.state.changeRelease(id, { removed: true });
    });

    test("a track's duration may be a string", async () => {
      const [release] = simulator.state.releasesOf('5000000');
      const [track] = simulator.state.tracksOf(release?.id ?? '');
      simulator.setQuirks({ textDurations: 1 });
      expect(await client.lookupTrack(track?.id ?? '', { signal })).toMatchObject({
        track: { durationMs: track?.durationMs },
      });
      simulator.setQuirks({});
    });

    test('a track list that belongs to another release is detected', async () => {
      simulator.setQuirks({ relink: { probability: 1, paths: '/tracks' } });
      const observation = await client.readArtist('5000000', { depth: 'deep', signal });
      const releases = observation.kind === 'complete' ? observation.state.releases : [];
      expect(releases.length).toBeGreaterThan(1);
      expect(releases.map((release) => release.tracks)).toEqual(releases.map(() => undefined));
      simulator.setQuirks({});
    });

    test.each(['/tracks', '$'])(
      'a failed response for one release does not affect other releases (%s)',
      async (answer) => {
        const [first, ...others] = simulator.state.releasesOf('5000000').map(({ id }) => id);
        simulator.setQuirks({ notJson: { probability: 1, paths: `^/album/${first}${answer}` } });
        const observation = await client.readArtist('5000000', { depth: 'full', signal });
        const releases = observation.kind === 'complete' ? observation.state.releases : [];
        const known = releases.filter(({ tracks }) => tracks !== undefined);
        expect(releases).toHaveLength(others.length + 1);
        expect(known.map(({ platformId }) => platformId).sort()).toEqual(others.sort());
        simulator.setQuirks({});
      },
    );

    test('credits and markets are unknown if not all tracks are read', async () => {
      const observation = await client.readArtist('5000002', { depth: 'deep', signal });
      const [release] = observation.kind === 'complete' ? observation.state.releases : [];
      expect(release?.markets).toBeUndefined();
      expect(release?.tracks?.map((track) => track.credits)).toEqual(release?.tracks?.map(() => undefined));
    });
  });
});
