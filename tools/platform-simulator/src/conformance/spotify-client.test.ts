import { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import type { ReadDepth } from '@artist-watch/catalogue/port';
import { SpotifyClient, type SpotifyClientOptions } from '@artist-watch/catalogue/spotify/spotify-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import { CONTENT_ID_CHARS } from '../spotify/shapes.js';
import type { SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import { describeClientContract } from './client-contract.js';

const signal = new AbortController().signal;
const credentials = { clientId: 'id', clientSecret: 'secret' };

function spotifyClient(baseUrl: string, options: Partial<SpotifyClientOptions> = {}): SpotifyClient {
  return new SpotifyClient({
    baseUrl,
    accountsUrl: baseUrl,
    credentials,
    clock: { now: () => new Date() },
    budget: new PlatformBudget({ rules: { limit: 100_000, windowMs: 1_000, burst: 10_000 } }),
    retryDelaysMs: [0, 0],
    ...options,
  });
}

describe('the Spotify client', () => {
  describeClientContract({
    platform: 'spotify',
    createClient: ({ baseUrl, ...options }) => spotifyClient(baseUrl, options),
    artistPath: '^/v1/artists/\\w+$',
    releasesPath: '/albums\\?',
    releasePaths: '^/v1/(albums|tracks)',
    unknownId: '0'.repeat(22),
    essentialFields: ['id', 'items', 'total', 'next', 'tracks', 'albums'],
    country: undefined,
    sees: {
      pictureId: (id) => id.slice(0, CONTENT_ID_CHARS),
      releaseType: (type) => (type === 'ep' ? 'single' : type),
      releaseExplicit: () => undefined,
    },
  });

  describe('Spotify-specific behavior', () => {
    let simulator: PlatformSimulator;
    let nowMs = Date.parse('2026-03-14T12:00:00Z');
    const clock = { now: () => new Date(nowMs) };
    const clients: SpotifyClient[] = [];
    const client = (options: Partial<SpotifyClientOptions> = {}) => {
      const created = spotifyClient(simulator.url, { clock, ...options });
      clients.push(created);
      return created;
    };
    const artistId = (index: number) => simulator.state.idOf('artist', index);
    const aRelease = () => simulator.state.releasesOf(artistId(0))[0] as SimulatedRelease;

    beforeAll(async () => {
      simulator = await startPlatformSimulator({
        platform: 'spotify',
        seed: 'conformance',
        artists: 6,
        budget: 'unlimited',
        clock,
      });
    });
    afterEach(() => simulator.setQuirks({}));
    afterAll(async () => {
      for (const each of clients) each.close();
      await simulator.stop();
    });

    test('concurrent requests share one token request', async () => {
      simulator.requests.clear();
      const one = client();
      await Promise.all([0, 1, 2, 3].map((index) => one.readArtist(artistId(index), { depth: 'shallow', signal })));
      expect(simulator.requests.counts().byPath['/api/token']).toBe(1);
    });

    test('a token is renewed before it expires, or earlier if it is rejected', async () => {
      simulator.requests.clear();
      const one = client();
      const alive = () => one.readDirectly('release', aRelease().id, { signal });
      expect(await alive()).toBe('alive');
      nowMs += 3_545_000;
      expect(await alive()).toBe('alive');
      expect(simulator.requests.counts().byPath['/api/token']).toBe(2);
      simulator.setQuirks({ expiredToken: { probability: 1, times: 1 } });
      expect(await alive()).toBe('alive');
      expect(simulator.requests.counts().byPath['/api/token']).toBe(3);
    });

    test('a read ends with an unknown result if every token is rejected', async () => {
      simulator.setQuirks({ expiredToken: 1 });
      expect(await client().readDirectly('release', aRelease().id, { signal })).toBe('unknown');
    });

    test('rejected credentials are reported in the reason', async () => {
      const wrong = client({ credentials: { clientId: '', clientSecret: '' } });
      await expect(wrong.findArtist(artistId(0), { signal })).rejects.toThrow('rejects the client id or secret');
      expect(await wrong.readArtist(artistId(0), { depth: 'shallow', signal })).toHaveProperty('kind', 'incomplete');
    });

    test('aborting one request does not abort others that are waiting for the same token', async () => {
      simulator.setQuirks({ slow: { probability: 1, delayMs: 20 } });
      const one = client();
      const giveUp = new AbortController();
      const first = one.findArtist(artistId(0), { signal: giveUp.signal });
      const second = one.findArtist(artistId(1), { signal });
      giveUp.abort(new Error('enough'));
      await expect(first).rejects.toThrow('enough');
      expect(await second).toHaveProperty('kind', 'found');
    });

    test('a deep read of 130 releases needs fewer than 60 requests', async () => {
      simulator.requests.clear();
      const observation = await client().readArtist(artistId(1), { depth: 'deep', signal });
      expect(observation.kind).toBe('complete');
      expect(simulator.requests.counts().total).toBeLessThan(60);
    });

    test('a removed item that Spotify still returns is reported as gone if it is not playable in any market', async () => {
      const { id } = simulator.additions.addRelease({ artistId: artistId(5), tracks: 2 });
      const [track] = simulator.state.tracksOf(id) as [SimulatedTrack];
      const direct = async (one: SpotifyClient) => [
        await one.readDirectly('release', id, { signal }),
        await one.readDirectly('track', track.id, { signal }),
      ];
      simulator.setQuirks({ removedStillAnswers: 1 });
      simulator.state.changeRelease(id, { removed: true });
      simulator.requests.clear();
      expect(await direct(client())).toEqual(['gone', 'gone']);
      // One request for the token, then seven per item: one without a market and one for each of six markets.
      expect(simulator.requests.counts().total).toBe(1 + 2 * 7);
      simulator.state.changeRelease(id, { removed: false });
      expect(await direct(client())).toEqual(['alive', 'alive']);
    });

    test('a removed item is reported as gone, even if its recordings are playable on another release', async () => {
      const { id } = simulator.additions.addRelease({ artistId: artistId(5), tracks: 2 });
      const [track] = simulator.state.tracksOf(id) as [SimulatedTrack];
      simulator.state.changeRelease(id, { removed: true });
      for (const developmentMode of [0, 1]) {
        simulator.setQuirks({ removedStillAnswers: 1, recordingsElsewhere: 1, developmentMode });
        expect(await client().readDirectly('release', id, { signal })).toBe('gone');
        expect(await client().readDirectly('track', track.id, { signal })).toBe('gone');
      }
      const address = `${simulator.url}/v1/albums/${id}?market=US`;
      // biome-ignore lint/suspicious/noExplicitAny: the test checks raw responses.
      const json = async (url: string, init: RequestInit): Promise<any> => (await fetch(url, init)).json();
      const token = await json(`${simulator.url}/api/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('id:secret')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      simulator.setQuirks({ removedStillAnswers: 1, recordingsElsewhere: 1 });
      const headers = { authorization: `Bearer ${token.access_token}` };
      const answer = await json(address, { headers });
      expect(answer.tracks.items[0]).toMatchObject({ is_playable: true, linked_from: { id: track.id } });
      expect(answer).not.toHaveProperty('is_playable');
    });

    test('releases that a list skips between two groups are found by reading each group', async () => {
      simulator.setQuirks({ groupGap: 1 });
      const one = client();
      for (let i = 0; i < 2; i++) {
        simulator.requests.clear();
        const observation = await one.readArtist(artistId(1), { depth: 'shallow', signal });
        expect(observation.kind === 'complete' && observation.state.releases).toHaveLength(130);
        expect(
          Object.keys(simulator.requests.counts().byPath).filter((path) => path.includes('groups=album&')),
        ).not.toEqual([]);
      }
    });

    test("if Spotify omits a release's markets, the release exists if it is playable in a tested market", async () => {
      const { id } = simulator.additions.addRelease({ artistId: artistId(5), tracks: 1, markets: ['SE', 'JP'] });
      simulator.setQuirks({ emptyMarkets: 1 });
      expect(await client().readDirectly('release', id, { signal })).toBe('alive');
      expect(await client({ markets: ['US', 'SE'] }).readDirectly('release', id, { signal })).toBe('alive');
      const observation = await client().readArtist(artistId(5), { depth: 'deep', signal });
      const releases = observation.kind === 'complete' ? observation.state.releases : [];
      expect(releases.find(({ platformId }) => platformId === id)).toMatchObject({
        tracks: [{ isrc: expect.any(String) }],
      });
      expect(releases.filter(({ markets }) => markets !== undefined)).toEqual([]);
    });

    test('a detailed read returns markets that a cached list omits', async () => {
      const { id } = simulator.additions.addRelease({ artistId: artistId(5), tracks: 1, markets: ['CA', 'DE', 'US'] });
      const read = async (depth: ReadDepth) => {
        const observation = await client().readArtist(artistId(5), { depth, signal });
        const releases = observation.kind === 'complete' ? observation.state.releases : [];
        return releases.find(({ platformId }) => platformId === id)?.markets;
      };
      simulator.setQuirks({ staleMarkets: { probability: 1, paths: '^/v1/artists/' } });
      expect(await read('shallow')).toEqual(['DE']);
      expect(await read({ deepReleaseIds: [id] })).toEqual(['CA', 'DE', 'US']);
      simulator.setQuirks({ staleMarkets: 1 });
      expect(await read({ deepReleaseIds: [id] })).toEqual(['DE']);
    });

    test('relinked tracks keep the ids of the original tracks', async () => {
      // Only tracks on the first page get relinked, so the release needs a second page.
      simulator.additions.addRelease({ artistId: artistId(3), tracks: 60 });
      const read = () => client().readArtist(artistId(3), { depth: 'deep', signal });
      const before = await read();
      expect(before.kind).toBe('complete');
      simulator.setQuirks({ relinkedTracks: 1 });
      for (let i = 0; i < 2; i++) {
        const observation = await read();
        expect(observation.kind === 'complete' && observation.state).toEqual(
          before.kind === 'complete' && before.state,
        );
      }
    });

    test('a later track page that belongs to another release is detected', async () => {
      const { id } = simulator.additions.addArtist({ releases: 0 });
      for (let i = 0; i < 2; i++) simulator.additions.addRelease({ artistId: id, tracks: 60 });
      const long = simulator.state.releasesOf(id);
      const whole = await client().readArtist(id, { depth: 'deep', signal });
      expect(whole.kind === 'complete' && whole.state.releases.map((release) => release.tracks?.length)).toEqual([
        60, 60,
      ]);

      simulator.setQuirks({ relink: { probability: 1, paths: `^/v1/albums/${long[0]?.id}/tracks` } });
      const observation = await client().readArtist(id, { depth: 'deep', signal });
      const releases = observation.kind === 'complete' ? observation.state.releases : [];
      expect(releases.find((release) => release.platformId === long[0]?.id)).toHaveProperty('tracks', undefined);
      expect(releases.find((release) => release.platformId === long[1]?.id)?.tracks).toHaveLength(60);
    });

    test('a search by ISRC finds every release of a recording', async () => {
      const tracks = simulator.state.releasesOf(artistId(1)).flatMap((release) => simulator.state.tracksOf(release.id));
      const shared = tracks.find((track) => simulator.state.tracksByIsrc(track.isrc).length > 1) as SimulatedTrack;
      const found = await client().findTracksByIsrc(shared.isrc, { signal });
      expect(found.kind === 'found' && found.tracks.map((track) => track.platformId).sort()).toEqual(
        simulator.state
          .tracksByIsrc(shared.isrc)
          .map((track) => track.id)
          .sort(),
      );
    });
  });
});
