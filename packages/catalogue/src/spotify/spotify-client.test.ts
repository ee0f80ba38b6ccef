import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { DirectReading } from '../port.js';
import { SpotifyClient } from './spotify-client.js';

const signal = new AbortController().signal;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const idOf = (name: string) => name.padEnd(22, '0');
const [ARTIST, ALBUM, TRACK] = [idOf('artist'), idOf('album'), idOf('track')];
const ISRC = 'USUM71703861';

const album = { id: ALBUM, name: 'An album', album_type: 'album', release_date: '2020-01-01' };
const listedTrack = { id: TRACK, name: 'A track', track_number: 1 };
const track = { ...listedTrack, external_ids: { isrc: ISRC }, album };

interface Answer {
  readonly status: number;
  readonly body: unknown;
}
const found = (body: unknown): Answer => ({ status: 200, body });
const error = (status: number, message: string): Answer => ({ status, body: { error: { status, message } } });

const WELL: Readonly<Record<string, Answer>> = {
  [`/v1/artists/${ARTIST}`]: found({ id: ARTIST, name: 'An artist' }),
  [`/v1/artists/${ARTIST}/albums`]: found({ items: [album, { ...album, id: idOf('album2') }], total: 2 }),
  [`/v1/albums/${ALBUM}`]: found({ ...album, tracks: { items: [listedTrack], total: 1 } }),
  [`/v1/albums/${idOf('album2')}`]: found({ ...album, id: idOf('album2'), tracks: { items: [], total: 0 } }),
  [`/v1/albums/${ALBUM}/tracks`]: found({ items: [listedTrack], total: 1 }),
  [`/v1/albums/${idOf('album2')}/tracks`]: found({ items: [], total: 0 }),
  [`/v1/tracks/${TRACK}`]: found(track),
  '/v1/search': found({
    tracks: { items: [track, { ...track, id: idOf('track2'), album: { ...album, id: idOf('album2') } }], total: 2 },
  }),
};

/** Responds with `WELL`, except on the paths that `others` handles. */
async function clientOf(
  others: (path: string, market: string | null, groups: string | null) => Answer | undefined,
): Promise<{ client: SpotifyClient; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const address = request.url ?? '';
    const { pathname, searchParams } = new URL(address, 'http://platform');
    const token = found({ access_token: 'token', expires_in: 3_600 });
    const answer = () =>
      others(pathname, searchParams.get('market'), searchParams.get('include_groups')) ?? WELL[pathname];
    if (pathname !== '/api/token') asked.push(address);
    const { status, body } = (pathname === '/api/token' ? token : answer()) ?? error(404, 'Service not found');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new SpotifyClient({
    baseUrl,
    accountsUrl: baseUrl,
    credentials: { clientId: 'id', clientSecret: 'secret' },
    clock: { now: () => new Date('2026-03-14T12:00:00Z') },
    budget: { take: async () => undefined, penalise: async () => undefined },
    retryDelaysMs: [0, 0],
  });
  stops.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, asked };
}

const isBatch = (address: string) => /^\/v1\/(albums|tracks)($|\?)/.test(address);
const unworded = (status: number): Answer => ({ status, body: '<html></html>' });

const REFUSED_BATCHES: readonly [string, Answer][] = [
  ['403', error(403, 'Forbidden')],
  ['a 404 for an unknown path', error(404, 'Service not found')],
];

describe('Spotify apps whose mode is unknown', () => {
  test.each(REFUSED_BATCHES)('items are read one by one if batches are rejected: %s', async (_, refusal) => {
    const { client, asked } = await clientOf((path) => (isBatch(path) ? refusal : undefined));
    const observation = await client.readArtist(ARTIST, { depth: 'deep', signal });
    expect(observation).toMatchObject({
      kind: 'complete',
      state: { releases: [{ platformId: ALBUM, tracks: [{ platformId: TRACK, isrc: ISRC }] }, { tracks: undefined }] },
    });
    expect(await client.findTracksByIsrc(ISRC, { signal })).toHaveProperty('kind', 'found');
    expect(asked.filter(isBatch)).toHaveLength(1);
  });

  test.each([
    ['a 404 from a gateway', unworded(404)],
    ['a 403 from a gateway', unworded(403)],
    ['a 404 about an item', error(404, 'Resource not found')],
    ['500', error(500, 'Server error')],
  ])(
    '%s in response to a batch is treated as an error, not as a rejected batch or a missing item',
    async (_, answer) => {
      const { client, asked } = await clientOf((path) => (isBatch(path) ? answer : undefined));
      await expect(client.findTracksByIsrc(ISRC, { signal })).rejects.toMatchObject({
        failure: { kind: answer.status === 500 ? 'unavailable' : 'bad_answer' },
      });
      expect(await client.readArtist(ARTIST, { depth: 'deep', signal })).toMatchObject({
        kind: 'complete',
        state: { releases: [{ tracks: undefined }, { tracks: undefined }] },
      });
      expect(asked).not.toContain(`/v1/albums/${ALBUM}`);
      expect(asked.filter(isBatch).length).toBeGreaterThan(2);
    },
  );

  test.each([
    ['the platform', error(403, 'Forbidden')],
    ['a gateway', unworded(403)],
  ])('no release, track or artist counts as missing if %s rejects every request', async (_, forbidden) => {
    const { client } = await clientOf((path) => (path.startsWith('/v1/') ? forbidden : undefined));
    expect(await client.readDirectly('release', ALBUM, { signal })).toBe('unknown');
    expect(await client.readDirectly('track', TRACK, { signal })).toBe('unknown');
    expect(await client.readArtist(ARTIST, { depth: 'deep', signal })).toHaveProperty('kind', 'incomplete');
    for (const lookup of [
      client.findArtist(ARTIST, { signal }),
      client.lookupTrack(TRACK, { signal }),
      client.findTracksByIsrc(ISRC, { signal }),
    ]) {
      await expect(lookup).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
    }
  });

  test('large pages are still requested after a 400 if small pages also get a 400', async () => {
    const list = `/v1/artists/${ARTIST}/albums`;
    const { client, asked } = await clientOf((path) => (path === list ? error(400, 'Bad request') : undefined));
    const read = () => client.readArtist(ARTIST, { depth: 'shallow', signal });
    expect([await read(), await read()]).toMatchObject([{ kind: 'incomplete' }, { kind: 'incomplete' }]);
    expect(asked.filter((address) => address.includes('limit=50'))).toHaveLength(2);
  });

  test('no track is found for an ISRC if the search returns only remnants of removed tracks', async () => {
    const hollow = {
      ...track,
      name: '',
      external_ids: {},
      album: { id: ALBUM, name: '', images: [], release_date: '0000' },
    };
    const search = found({ tracks: { items: [hollow, null], total: 2 } });
    const { client } = await clientOf((path) => (path === '/v1/search' ? search : undefined));
    expect(await client.findTracksByIsrc(ISRC, { signal })).toEqual({ kind: 'not_found' });
  });

  test('a list is read group by group if its item count differs from its total', async () => {
    const list = (group: string | null) => {
      const ids =
        group === 'album' ? ['a1'] : group === 'single' ? ['s1', 's2'] : group === 'compilation' ? [] : ['a1', 's2'];
      return found({
        items: ids.map((id) => ({ ...album, id: idOf(id) })),
        total: group?.includes(',') ? 3 : ids.length,
      });
    };
    const { client, asked } = await clientOf((path, _, groups) =>
      path.endsWith('/albums') && groups ? list(groups) : undefined,
    );
    const observation = await client.readArtist(ARTIST, { depth: 'shallow', signal });
    expect(observation).toMatchObject({ kind: 'complete', state: { releases: [{}, {}, {}] } });
    expect(asked.filter((address) => address.includes('include_groups'))).toHaveLength(4);
  });

  test('search results without ISRCs cause an error instead of "not found"', async () => {
    const { external_ids: _, ...codeless } = track;
    const search = found({ tracks: { items: [codeless], total: 1 } });
    const { client } = await clientOf((path) => (path === '/v1/search' ? search : undefined));
    await expect(client.findTracksByIsrc(ISRC, { signal })).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });
});

describe('Spotify responses that list no markets', () => {
  const silent = (thing: object) => found({ ...thing, available_markets: [] });
  const unplayable = (thing: object) => found({ ...thing, is_playable: false });
  const SUBSTITUTE = { id: idOf('other') };
  const playing = (one: object, is_playable?: boolean) =>
    found({ ...album, is_playable, tracks: { items: [null, { ...one, is_playable: true }] } });
  const inMarkets = (answers: Readonly<Record<string, Answer>>) =>
    clientOf((path, market) => {
      if (path === `/v1/tracks/${SUBSTITUTE.id}`) return found({ ...track, ...SUBSTITUTE, album: SUBSTITUTE });
      const thing = path.includes('/tracks/') ? track : album;
      return market === null ? silent(thing) : (answers[market] ?? unplayable(thing));
    });

  test.each<[string, Readonly<Record<string, Answer>>, DirectReading]>([
    ['a release that is not playable in any market counts as removed', {}, 'gone'],
    [
      'a release that is missing from one checked market and unplayable in the others counts as removed',
      { US: error(404, 'Resource not found') },
      'gone',
    ],
    [
      'a release that is playable in one market counts as available',
      { JP: found({ ...album, is_playable: true }) },
      'alive',
    ],
    [
      'a release with a track that is playable in one market counts as available',
      { BR: playing({ id: TRACK }) },
      'alive',
    ],
    [
      'a release that is not playable in any market counts as removed, even if its tracks are playable',
      { BR: playing({ id: TRACK }, false) },
      'gone',
    ],
    [
      'a release that is not playable in any market counts as removed, even if its recordings are on another release',
      { BR: playing({ ...SUBSTITUTE, linked_from: { id: TRACK } }) },
      'gone',
    ],
    [
      'an unplayable release counts as removed, even if a substitute without linked_from is playable',
      { BR: playing(SUBSTITUTE) },
      'gone',
    ],
    [
      'the state of a release is unknown if a different release is returned',
      { GB: found({ ...album, id: idOf('other'), is_playable: true }) },
      'unknown',
    ],
    ['the state of a release is unknown if the response came from a gateway', { GB: unworded(404) }, 'unknown'],
  ])('%s', async (_, answers, reading) => {
    const { client } = await inMarkets(answers);
    expect(await client.readDirectly('release', ALBUM, { signal })).toBe(reading);
  });

  test.each<[string, object, DirectReading]>([
    ['a track that is playable in one market counts as available', { ...track, is_playable: true }, 'alive'],
    [
      'a track replaced by a substitute with linked_from counts as removed',
      { ...track, ...SUBSTITUTE, linked_from: { id: TRACK } },
      'gone',
    ],
    [
      'a track replaced by one with the same ISRC counts as removed, even without linked_from',
      { ...track, ...SUBSTITUTE },
      'gone',
    ],
    [
      'the state of a track is unknown if an unrelated track is returned',
      { ...track, ...SUBSTITUTE, external_ids: {} },
      'unknown',
    ],
  ])('%s', async (_, answer, reading) => {
    const { client } = await inMarkets({ DE: found({ is_playable: true, ...answer }) });
    expect(await client.readDirectly('track', TRACK, { signal })).toBe(reading);
  });

  test.each([
    ['2026-03-15', 'alive'],
    ['2026-03-13', 'alive'],
    ['2026-03-12', 'gone'],
    ['2026', 'gone'],
  ])('on 14 March 2026, an unplayable item with the release date %s is read as %s', async (release_date, reading) => {
    const coming = { ...album, release_date };
    const { client } = await clientOf((path) =>
      unplayable(path.includes('/tracks/') ? { ...track, album: coming } : coming),
    );
    expect(await client.readDirectly('release', ALBUM, { signal })).toBe(reading);
    expect(await client.readDirectly('track', TRACK, { signal })).toBe(reading);
  });

  test('an item that lists its markets needs no further requests', async () => {
    const { client, asked } = await clientOf(() => found({ ...album, available_markets: ['SE'] }));
    expect(await client.readDirectly('release', ALBUM, { signal })).toBe('alive');
    expect(asked).toHaveLength(1);
  });
});
