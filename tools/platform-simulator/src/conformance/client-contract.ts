import { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import type { RequestBudget } from '@artist-watch/catalogue/budget/request-budget';
import type { RequestFact } from '@artist-watch/catalogue/http/platform-http';
import type { PlatformClient, ReadDepth } from '@artist-watch/catalogue/port';
import type { CatalogueState, Observation } from '@artist-watch/domain/catalogue';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { QuirksInput } from '../quirks/quirks.js';
import { type PlatformSimulator, type SimulatedPlatform, startPlatformSimulator } from '../server.js';
import type { SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import { contradictions, expectedState, type Sight } from './truth.js';

export interface ContractClientOptions {
  readonly baseUrl: string;
  readonly budget: RequestBudget;
  readonly expectedCountry?: string;
  readonly requestTimeoutMs?: number;
  readonly onRequest?: (fact: RequestFact) => void;
}

export interface ClientContract {
  readonly platform: SimulatedPlatform;
  createClient(options: ContractClientOptions): PlatformClient;
  readonly artistPath: string;
  readonly releasesPath: string;
  /** Matches the paths of both a release and its track list. */
  readonly releasePaths: string;
  /** A well-formed id that doesn't exist. */
  readonly unknownId: string;
  /** If any of these fields is missing, the client treats the response as invalid. */
  readonly essentialFields: readonly string[];
  /**
   * The client's country according to the platform. Undefined if the platform lists the same items in every country.
   */
  readonly country: string | undefined;
  readonly sees: Sight;
}

/** Quirks depend on the number of requests so far, so more reads uncover more faults. */
const READS = Number(process.env.CONFORMANCE_READINGS ?? 1);
const largeBudget = (options: { readonly maxWaitMs?: number } = {}) =>
  new PlatformBudget({ rules: { limit: 100_000, windowMs: 1_000, burst: 10_000 }, ...options });
const signal = new AbortController().signal;

/** Quirks that affect countries and relinking have their own tests. */
const DISTORTING: readonly [string, QuirksInput][] = [
  ['busy errors', { busyError: 0.3 }],
  ['5xx', { serverError: 0.3 }],
  ['closed connections', { cutConnection: 0.3 }],
  ['incomplete bodies', { cutBody: 0.3 }],
  ['truncated JSON', { truncatedBody: 0.15 }],
  ['wrong Content-Encoding', { brokenGzip: 0.3 }],
  ['redirects', { redirect: 0.15 }],
  ['HTML pages', { notJson: 0.15 }],
  ['errors on later pages', { laterPageFails: 0.7 }],
  ['totals that are too large', { wrongTotal: { probability: 0.3, by: 2 } }],
  ['totals that are too small', { wrongTotal: { probability: 0.3, by: -1 } }],
  // The client accepts a list as complete if the same item is missing twice in a row, so this has to be rare.
  ['missing items', { missingItem: 0.1 }],
  ['items repeated in place of others', { duplicateItem: 0.15 }],
  ['additional repeated items', { repeatedItem: 0.5 }],
  ['null items', { nullItem: 0.3 }],
  ['empty pictures', { noPicture: 0.3 }],
  ['names of invisible characters', { invisibleNames: 0.3 }],
  ['repeated first pages', { repeatedPage: 0.7 }],
  ['missing fields', { vanishingFields: 0.3 }],
  ['a follower count of 0', { zeroFollowers: 0.5 }],
  ['releases and tracks with blank fields', { hollowAnswer: 0.3 }],
  [
    'all quirks at once',
    {
      busyError: 0.03,
      serverError: 0.03,
      cutConnection: 0.03,
      cutBody: 0.03,
      truncatedBody: 0.03,
      brokenGzip: 0.03,
      redirect: 0.03,
      notJson: 0.03,
      laterPageFails: 0.05,
      wrongTotal: 0.05,
      missingItem: 0.05,
      duplicateItem: 0.05,
      repeatedItem: 0.05,
      nullItem: 0.05,
      noPicture: 0.05,
      invisibleNames: 0.05,
      repeatedPage: 0.05,
      vanishingFields: 0.05,
      relink: 0.05,
      zeroFollowers: 0.05,
      hollowAnswer: 0.05,
      hiddenItems: 0.05,
      removedStillAnswers: 0.05,
      hyphenatedIsrc: 0.05,
    },
  ],
];

/** Sorts releases, because each platform returns them in a different order. */
function inIdOrder(state: CatalogueState): CatalogueState {
  return { ...state, releases: state.releases.toSorted((a, b) => a.platformId.localeCompare(b.platformId)) };
}

/** Every platform client must pass these tests, even when the platform returns faulty responses. */
export function describeClientContract(contract: ClientContract): void {
  let simulator: PlatformSimulator;
  let client: PlatformClient;
  const clients: PlatformClient[] = [];
  const [ORDINARY, PROLIFIC, NEWCOMER] = [0, 1, 2];
  const artistId = (index: number) => simulator.state.idOf('artist', index);
  const aRelease = () =>
    simulator.state.releasesOf(artistId(ORDINARY)).find((one) => one.type === 'album') as SimulatedRelease;
  const aTrack = () => simulator.state.tracksOf(aRelease().id)[0] as SimulatedTrack;

  function newClient(options: Partial<ContractClientOptions> = {}): PlatformClient {
    const created = contract.createClient({ baseUrl: simulator.url, budget: largeBudget(), ...options });
    clients.push(created);
    return created;
  }

  const read = (index: number, depth: ReadDepth, by = client): Promise<Observation> =>
    by.readArtist(artistId(index), { depth, signal });

  const truth = (index: number) => expectedState(simulator.state, artistId(index), contract.country, contract.sees);

  function expectConsistent(observation: Observation, index: number): void {
    if (observation.kind === 'complete') {
      expect(contradictions(observation.state, truth(index))).toEqual([]);
    }
  }

  const releasesIn = (observation: Observation) => (observation.kind === 'complete' ? observation.state.releases : []);
  const idsIn = (observation: Observation) => releasesIn(observation).map(({ platformId }) => platformId);
  const idsInDetail = (observation: Observation) =>
    releasesIn(observation)
      .filter(({ tracks }) => tracks !== undefined)
      .map(({ platformId }) => platformId);

  beforeAll(async () => {
    simulator = await startPlatformSimulator({
      platform: contract.platform,
      seed: 'conformance',
      artists: 8,
      budget: 'unlimited',
      ...(contract.country !== undefined && { homeCountry: contract.country }),
    });
    client = newClient();
  });
  afterEach(() => {
    simulator.setQuirks({});
    simulator.setQuota('unlimited');
  });
  afterAll(async () => {
    for (const each of clients) each.close();
    await simulator.stop();
  });

  describe('a platform without quirks', () => {
    test('a full read returns every item, even of a release with several discs', async () => {
      let longestRelease = 0;
      for (const index of [ORDINARY, NEWCOMER, 3, 4]) {
        const observation = await read(index, 'full');
        const expected = truth(index);
        expect(observation).toMatchObject({ kind: 'complete', observedAt: expect.any(Date) });
        expect(observation.kind === 'complete' && inIdOrder(observation.state)).toEqual(inIdOrder(expected));
        longestRelease = Math.max(longestRelease, ...expected.releases.map((release) => release.tracks?.length ?? 0));
      }
      expect(longestRelease).toBeGreaterThan(24);
    }, 300_000);

    test('a shallow read returns every release, without tracks', async () => {
      const observation = await read(PROLIFIC, 'shallow');
      expectConsistent(observation, PROLIFIC);
      const releases = observation.kind === 'complete' ? observation.state.releases : [];
      expect(releases).toHaveLength(130);
      for (const release of releases) {
        expect(release).toMatchObject({ title: expect.any(String), artworkId: expect.any(String), tracks: undefined });
      }
    });

    test('a deep read of some releases returns tracks and codes only for those releases', async () => {
      const { id } = aRelease();
      const observation = await read(ORDINARY, { deepReleaseIds: [id] });
      expectConsistent(observation, ORDINARY);
      const releases = observation.kind === 'complete' ? observation.state.releases : [];
      expect(releases.filter((release) => release.tracks !== undefined).map((release) => release.platformId)).toEqual([
        id,
      ]);
      const detailed = releases.find((release) => release.platformId === id);
      expect(detailed).toMatchObject({ upc: aRelease().upc, label: aRelease().label });
      expect(detailed?.tracks?.map((track) => track.isrc)).toEqual(
        simulator.state.tracksOf(id).map((track) => track.isrc),
      );
    });

    test('a removed track does not change the positions of the others', async () => {
      const [first, second] = simulator.state.tracksOf(aRelease().id);
      simulator.state.changeTrack(first?.id ?? '', { removed: true });
      const observation = await read(ORDINARY, { deepReleaseIds: [aRelease().id] });
      expectConsistent(observation, ORDINARY);
      const release =
        observation.kind === 'complete' && observation.state.releases.find((one) => one.platformId === aRelease().id);
      expect(release ? release.tracks?.[0] : undefined).toMatchObject({ platformId: second?.id, position: 2 });
      simulator.state.changeTrack(first?.id ?? '', { removed: false });
    });

    test('an artist whose releases were all removed has an empty list, but does not count as removed', async () => {
      const [only] = simulator.state.releasesOf(artistId(NEWCOMER));
      simulator.state.changeRelease(only?.id ?? '', { removed: true });
      expect(await read(NEWCOMER, 'deep')).toMatchObject({ kind: 'complete', state: { releases: [] } });
      simulator.state.changeRelease(only?.id ?? '', { removed: false });
    });

    test('an artist is reported as gone if both the artist and its list are missing', async () => {
      simulator.state.changeArtist(artistId(4), { removed: true });
      expect(await read(4, 'shallow')).toEqual({ kind: 'artist_gone', observedAt: expect.any(Date) });
      simulator.state.changeArtist(artistId(4), { removed: false });
    });

    test('an artist is merged into another one if the platform returns the other artist for both ids', async () => {
      const { id: platformId, name } = simulator.state.known('artist', artistId(ORDINARY));
      simulator.state.changeArtist(artistId(4), { mergedInto: platformId });
      const merged = { kind: 'artist_merged', observedAt: expect.any(Date), into: { platformId, name } };
      expect(await read(4, 'shallow')).toEqual(merged);
      simulator.setQuirks({ emptyList: 1 });
      expect(await read(4, 'shallow')).toEqual(merged);
      simulator.setQuirks({});
      simulator.state.changeArtist(artistId(4), { mergedInto: undefined });
    });

    test('direct reads distinguish existing from missing items', async () => {
      expect(await client.readDirectly('release', aRelease().id, { signal })).toBe('alive');
      expect(await client.readDirectly('track', aTrack().id, { signal })).toBe('alive');
      expect(await client.readDirectly('release', contract.unknownId, { signal })).toBe('gone');
      expect(await client.readDirectly('track', contract.unknownId, { signal })).toBe('gone');
    });

    test('a lookup by id returns the name and followers of an artist', async () => {
      const { id, name, followers, imageId } = simulator.state.known('artist', artistId(ORDINARY));
      expect(await client.findArtist(id, { signal })).toEqual({
        kind: 'found',
        artist: {
          platformId: id,
          name,
          followers,
          imageId: contract.sees.pictureId(imageId),
          url: expect.stringContaining(id),
        },
      });
    });

    test.each([
      ['an unknown id', () => contract.unknownId],
      ['an invalid id', () => '../artist?x=not-an-id'],
    ])('%s is not found, and the client never requests an invalid id', async (_, id) => {
      expect(await client.findArtist(id(), { signal })).toEqual({ kind: 'not_found' });
      expect(await client.lookupTrack(id(), { signal })).toEqual({ kind: 'not_found' });
      expect(Object.keys(simulator.requests.counts().byPath).filter((path) => path.includes('not-an-id'))).toEqual([]);
    });

    test('a search finds each artist once, in any letter case, and nothing for an unknown name', async () => {
      const { id, name, followers, imageId } = simulator.state.known('artist', artistId(ORDINARY));
      const known = simulator.state.known('artist', artistId(NEWCOMER));
      const other = simulator.state.addArtist({ ...known, id: artistId(900), name, followers: 1 });
      const found = await client.searchArtists(name.toUpperCase(), { signal });
      expect(found.map(({ platformId }) => platformId).sort()).toEqual([id, other.id].sort());
      expect(found).toContainEqual({
        platformId: id,
        name,
        followers,
        imageId: contract.sees.pictureId(imageId),
        url: expect.stringContaining(id),
      });
      simulator.setQuirks({ duplicateItem: 1 });
      expect(await client.searchArtists(name, { signal })).toHaveLength(1);
      simulator.state.changeArtist(other.id, { removed: true });
      expect(await client.searchArtists('no artist & "has": this/name?', { signal })).toEqual([]);
    });

    test('a track lookup returns all fields that the tools show', async () => {
      const track = aTrack();
      const found = await client.lookupTrack(track.id, { signal });
      expect(found.kind === 'found' && found.track).toEqual(expectedTrack(track));
    });

    test('a lookup by ISRC finds only tracks with that ISRC', async () => {
      const track = aTrack();
      const found = await client.findTracksByIsrc(track.isrc, { signal });
      expect(found.kind).toBe('found');
      const tracks = found.kind === 'found' ? found.tracks : [];
      const sharing = simulator.state.tracksByIsrc(track.isrc);
      for (const each of tracks) {
        const actual = sharing.find((one) => one.id === each.platformId) as SimulatedTrack;
        expect(each).toEqual(expectedTrack(actual));
      }
      expect(await client.findTracksByIsrc('ZZZZZ0000000', { signal })).toEqual({ kind: 'not_found' });
    });

    test('an ISRC with hyphens is the same ISRC in polls and lookups', async () => {
      const track = aTrack();
      const isrcs = async () =>
        releasesIn(await read(ORDINARY, 'deep')).flatMap(({ tracks }) => (tracks ?? []).map(({ isrc }) => isrc));
      const usual = await isrcs();
      simulator.setQuirks({ hyphenatedIsrc: 1 });
      expect(await isrcs()).toEqual(usual);
      expect(usual).toContain(track.isrc);
      expect(await client.lookupTrack(track.id, { signal })).toMatchObject({ track: { isrc: track.isrc } });
      const found = await client.findTracksByIsrc(track.isrc, { signal });
      expect(found).toMatchObject({ kind: 'found', tracks: expect.arrayContaining([expectedTrack(track)]) });
    });

    function expectedTrack(track: SimulatedTrack) {
      const release = simulator.state.known('release', track.releaseId);
      return {
        platformId: track.id,
        name: track.version === '' ? track.title : `${track.title} ${track.version}`,
        url: expect.stringContaining(track.id),
        isrc: track.isrc,
        durationMs: track.durationMs,
        explicit: track.explicit,
        artists: track.artistIds.map((id) => ({ platformId: id, name: simulator.state.known('artist', id).name })),
        release: {
          platformId: release.id,
          name: release.title,
          type: contract.sees.releaseType(release.type),
          releaseDate: release.releaseDate,
          upc: release.upc,
          label: release.label,
        },
      };
    }
  });

  describe('a platform with quirks', () => {
    // Only for releases, because "no data" for both an artist and its release list means that the artist is gone.
    const noData: QuirksInput = { noDataError: { probability: 0.15, paths: contract.releasePaths } };

    test.each([...DISTORTING, ['"no data" for releases', noData] as const])(
      'complete observations and absences are correct despite %s',
      async (_, quirks) => {
        simulator.setQuirks(quirks);
        const depths: ReadDepth[] = ['shallow', 'deep', 'full'];
        const kinds = new Set<Observation['kind']>();
        for (const index of [ORDINARY, PROLIFIC, NEWCOMER, 3]) {
          for (const depth of index === PROLIFIC ? depths.slice(0, 1) : depths) {
            for (let i = 0; i < READS; i++) {
              const observation = await read(index, depth);
              kinds.add(observation.kind);
              expectConsistent(observation, index);
            }
          }
        }
        // If all reads failed, the test would prove nothing.
        expect(kinds).toContain('complete');
        expect(kinds).not.toContain('artist_gone');
      },
      300_000,
    );

    test('a permanent failure makes every observation incomplete, with a reason', async () => {
      const always: QuirksInput[] = [
        { busyError: 1 },
        { serverError: 1 },
        { cutConnection: 1 },
        { cutBody: 1 },
        { truncatedBody: 1 },
        { brokenGzip: 1 },
        { redirect: 1 },
        { notJson: 1 },
      ];
      for (const quirks of always) {
        simulator.setQuirks(quirks);
        expect(await read(ORDINARY, 'shallow')).toEqual({
          kind: 'incomplete',
          cause: expect.stringMatching(/^(platform_error|unclear_response)$/),
          observedAt: expect.any(Date),
          reason: expect.stringMatching(/^(unavailable|bad_answer): ./),
        });
      }
      for (const quirks of [{ laterPageFails: 1 }, { repeatedPage: 1 }, { missingItem: 1 }]) {
        simulator.setQuirks(quirks);
        expect(await read(PROLIFIC, 'shallow')).toHaveProperty('kind', 'incomplete');
      }
    }, 30_000);

    test('a list whose total includes hidden items is complete after one repeated read', async () => {
      simulator.setQuirks({ hiddenItems: 1 });
      const countRequests = async (depth: ReadDepth) => {
        simulator.requests.clear();
        for (const index of [ORDINARY, PROLIFIC, NEWCOMER]) {
          const observation = await read(index, index === PROLIFIC ? 'shallow' : depth, patient);
          expect(observation.kind === 'complete' && idsIn(observation).sort()).toEqual(
            truth(index)
              .releases.map(({ platformId }) => platformId)
              .sort(),
          );
          if (index !== PROLIFIC && depth !== 'shallow')
            expect(idsInDetail(observation)).toHaveLength(idsIn(observation).length);
          expectConsistent(observation, index);
        }
        return simulator.requests.counts().total;
      };
      const patient = newClient();
      const [first, second, third] = [
        await countRequests('deep'),
        await countRequests('deep'),
        await countRequests('deep'),
      ];
      expect(second).toBeLessThan(first);
      expect(third).toBe(second);
    });

    test('a list with a repeated or null item is complete, and one of its releases is unknown', async () => {
      for (const quirks of [{ repeatedItem: 1 }, { duplicateItem: 1 }, { nullItem: 1 }]) {
        simulator.setQuirks(quirks);
        for (let i = 0; i < 3; i++) {
          const observation = await read(ORDINARY, 'deep');
          expect(observation).toMatchObject({ kind: 'complete', state: { unknownReleases: expect.any(Number) } });
          expectConsistent(observation, ORDINARY);
          expect(idsInDetail(observation)).not.toEqual([]);
        }
      }
    });

    test('"no such artist" for the artist alone, or for its release list alone, does not count as an absence', async () => {
      for (const paths of [contract.artistPath, contract.releasesPath]) {
        simulator.setQuirks({ noDataError: { probability: 1, paths } });
        expect(await read(ORDINARY, 'shallow')).toHaveProperty('kind', 'incomplete');
      }
    });

    test('an artist is not reported as gone if a repeated request finds it', async () => {
      const paths = `(${contract.artistPath})|(${contract.releasesPath})`;
      simulator.setQuirks({ noDataError: { probability: 1, paths, times: 2 } });
      expect(await read(ORDINARY, 'shallow')).toHaveProperty('kind', 'incomplete');
      simulator.setQuirks({ noDataError: { probability: 1, paths } });
      expect(await read(ORDINARY, 'shallow')).toHaveProperty('kind', 'artist_gone');
    });

    test('a release or a track is not reported as gone if a repeated request finds it', async () => {
      for (const [kind, { id }] of [['release', aRelease()] as const, ['track', aTrack()] as const]) {
        simulator.setQuirks({ noDataError: { probability: 1, times: 1 } });
        expect(await client.readDirectly(kind, id, { signal })).toBe('alive');
        simulator.setQuirks({ noDataError: 1 });
        expect(await client.readDirectly(kind, id, { signal })).toBe('gone');
      }
    });

    test("a 404 without the platform's error body does not count as an absence", async () => {
      simulator.setQuirks({ serverError: { probability: 1, status: 404 } });
      expect(await read(ORDINARY, 'shallow')).toHaveProperty('kind', 'incomplete');
      expect(await client.readDirectly('release', aRelease().id, { signal })).toBe('unknown');
      expect(await client.readDirectly('track', aTrack().id, { signal })).toBe('unknown');
    });

    test('a release that is removed during a deep read keeps its data from the list', async () => {
      const { id } = aRelease();
      const disturbed = newClient({
        onRequest: ({ operation }) => {
          if (operation === 'artist albums') simulator.state.changeRelease(id, { removed: true });
        },
      });
      const observation = await read(ORDINARY, { deepReleaseIds: [id] }, disturbed);
      simulator.state.changeRelease(id, { removed: false });
      expectConsistent(observation, ORDINARY);
      expect(idsIn(observation)).toContain(id);
      expect(idsInDetail(observation)).toEqual([]);
    });

    test('releases whose detailed read fails keep their data from the list', async () => {
      const whole = await read(ORDINARY, 'deep');
      expect(idsInDetail(whole)).toEqual(idsIn(whole));
      const paths = contract.releasePaths;
      const distorted: QuirksInput[] = [
        { noDataError: { probability: 1, paths } },
        { notJson: { probability: 1, paths } },
        { serverError: { probability: 1, paths } },
        { cutBody: { probability: 1, paths } },
        { tooManyRequests: { probability: 1, paths, retryAfterSeconds: 600 } },
      ];
      for (const quirks of distorted) {
        simulator.setQuirks(quirks);
        const observation = await read(ORDINARY, 'deep', newClient({ budget: largeBudget({ maxWaitMs: 100 }) }));
        expectConsistent(observation, ORDINARY);
        expect(idsIn(observation)).toEqual(idsIn(whole));
        expect(idsInDetail(observation)).toEqual([]);
      }
    }, 30_000);

    test('missing fields are treated as unknown', async () => {
      simulator.setQuirks({ vanishingFields: { probability: 1, keep: [...contract.essentialFields] } });
      let unknownTitles = 0;
      for (let i = 0; i < 5; i++) {
        const observation = await read(ORDINARY, 'shallow');
        expect(observation.kind).toBe('complete');
        expectConsistent(observation, ORDINARY);
        expectConsistent(await read(ORDINARY, 'deep'), ORDINARY);
        const releases = observation.kind === 'complete' ? observation.state.releases : [];
        unknownTitles += releases.filter((release) => release.title === undefined).length;
      }
      expect(unknownTitles).toBeGreaterThan(0);
    });

    test('a track without a name, date or picture is reported as not found', async () => {
      simulator.setQuirks({ hollowAnswer: 1 });
      expect(await client.lookupTrack(aTrack().id, { signal })).toEqual({ kind: 'not_found' });
      expect(await client.findTracksByIsrc(aTrack().isrc, { signal })).toEqual({ kind: 'not_found' });
      expect(await client.readDirectly('release', aRelease().id, { signal })).toBe('alive');
      expect(await client.readDirectly('track', aTrack().id, { signal })).toBe('alive');
    });

    test('a follower count of 0 is treated as unknown', async () => {
      simulator.setQuirks({ zeroFollowers: 1 });
      expect(await read(ORDINARY, 'shallow')).toMatchObject({
        kind: 'complete',
        state: { artist: { followers: undefined } },
      });
    });

    test('a quota error causes a wait, and is never treated as an absence', async () => {
      const outcomes: string[] = [];
      const impatient = newClient({
        budget: largeBudget({ maxWaitMs: 100 }),
        onRequest: (fact) => outcomes.push(fact.outcome),
      });
      simulator.setQuirks({ quotaError: 1 });
      expect(await read(ORDINARY, 'shallow', impatient)).toMatchObject({
        kind: 'incomplete',
        reason: expect.stringMatching(/^quota: /),
      });
      expect(await impatient.readDirectly('release', aRelease().id, { signal })).toBe('unknown');
      expect(new Set(outcomes)).toEqual(new Set(['quota']));
    });

    test('a 429 with a long pause stops all requests until the pause ends', async () => {
      let sent = 0;
      const impatient = newClient({ budget: largeBudget({ maxWaitMs: 1_000 }), onRequest: () => sent++ });
      simulator.setQuirks({ tooManyRequests: { probability: 1, retryAfterSeconds: 600 } });
      await read(ORDINARY, 'shallow', impatient);
      simulator.setQuirks({});
      const before = sent;
      await expect(impatient.findArtist(artistId(ORDINARY), { signal })).rejects.toMatchObject({
        failure: { kind: 'quota', retryAfterMs: expect.any(Number) },
      });
      expect(sent).toBe(before);
    });

    test("the platform's quota makes reads slower, not wrong", async () => {
      simulator.setQuota({ requests: 50, windowMs: 400 });
      const outcomes: string[] = [];
      const throttled = newClient({
        budget: new PlatformBudget({ rules: { limit: 40, windowMs: 400, burst: 8 } }),
        onRequest: (fact) => outcomes.push(fact.outcome),
      });
      for (const index of [ORDINARY, 3, 4, 5]) {
        const observation = await read(index, 'deep', throttled);
        expect(observation.kind).toBe('complete');
        expectConsistent(observation, index);
      }
      expect(outcomes.length).toBeGreaterThan(8);
    }, 30_000);

    test('late responses are treated as timeouts', async () => {
      simulator.setQuirks({ slow: { probability: 1, delayMs: 60_000 } });
      const impatient = newClient({ requestTimeoutMs: 30 });
      expect(await read(ORDINARY, 'shallow', impatient)).toMatchObject({
        kind: 'incomplete',
        reason: expect.stringMatching(/^timeout: /),
      });
      expect(await impatient.readDirectly('release', aRelease().id, { signal })).toBe('unknown');
    });

    test('a response with a different id is never used as evidence', async () => {
      simulator.setQuirks({ relink: 1 });
      expect(await read(ORDINARY, 'shallow')).toMatchObject({ kind: 'incomplete' });
      expect(['alive', 'gone']).not.toContain(await client.readDirectly('release', aRelease().id, { signal }));
      expect(await client.readDirectly('track', aTrack().id, { signal })).toBe('unknown');
      await expect(client.findArtist(artistId(ORDINARY), { signal })).rejects.toMatchObject({
        failure: { kind: 'bad_answer' },
      });
      await expect(client.lookupTrack(aTrack().id, { signal })).rejects.toMatchObject({
        failure: { kind: 'bad_answer' },
      });

      simulator.setQuirks({ relink: { probability: 1, paths: contract.releasePaths } });
      const observation = await read(ORDINARY, 'deep');
      expect(observation.kind).toBe('complete');
      expectConsistent(observation, ORDINARY);
    });

    test('a lookup reports the kind of a platform error', async () => {
      const expected: [QuirksInput, string][] = [
        [{ busyError: 1 }, 'unavailable'],
        [{ serverError: 1 }, 'unavailable'],
        [{ cutConnection: 1 }, 'unavailable'],
        [{ notJson: 1 }, 'bad_answer'],
      ];
      for (const [quirks, kind] of expected) {
        simulator.setQuirks(quirks);
        for (const lookup of [
          client.findArtist(artistId(ORDINARY), { signal }),
          client.lookupTrack(aTrack().id, { signal }),
          client.findTracksByIsrc(aTrack().isrc, { signal }),
          client.searchArtists('name', { signal }),
        ]) {
          await expect(lookup).rejects.toMatchObject({ name: 'PlatformError', failure: { kind } });
        }
      }
    });
  });

  test('an aborted read rejects with the reason of the abort signal', async () => {
    simulator.setQuirks({ slow: { probability: 1, delayMs: 60_000 } });
    const stop = new AbortController();
    const reading = client.readArtist(artistId(PROLIFIC), { depth: 'deep', signal: stop.signal });
    const direct = client.readDirectly('release', aRelease().id, { signal: stop.signal });
    stop.abort(new Error('stopped by the test'));
    await expect(reading).rejects.toThrow('stopped by the test');
    await expect(direct).rejects.toThrow('stopped by the test');
  });

  test('a failed read does not send further requests', async () => {
    simulator.setQuirks({ notJson: { probability: 1, paths: contract.releasesPath } });
    simulator.requests.clear();
    expect(await read(PROLIFIC, 'deep')).toHaveProperty('kind', 'incomplete');
    expect(simulator.requests.counts().total).toBeLessThan(5);
  });

  test('after many release requests fail, the client stops requesting releases', async () => {
    simulator.setQuirks({ notJson: { probability: 1, paths: contract.releasePaths } });
    simulator.requests.clear();
    const observation = await read(PROLIFIC, 'deep');
    expect(idsIn(observation)).toHaveLength(130);
    expect(idsInDetail(observation)).toEqual([]);
    expect(simulator.requests.counts().total).toBeLessThan(50);
  });
}
