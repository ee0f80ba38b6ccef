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

/** An artist with two releases, the first of which has a track; a recording of its code is on the second as well. */
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

/** A server that answers `WELL`, but for some paths, and a client of it. */
async function clientOf(
  others: (path: string, market: string | null) => Answer | undefined,
): Promise<{ client: SpotifyClient; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const address = request.url ?? '';
    const { pathname, searchParams } = new URL(address, 'http://platform');
    const token = found({ access_token: 'token', expires_in: 3_600 });
    const answer = () => others(pathname, searchParams.get('market')) ?? WELL[pathname];
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
  ['a 404 that says that there is no such address', error(404, 'Service not found')],
];

describe('the Spotify client, of whose app it does not know the mode', () => {
  test.each(REFUSED_BATCHES)('reads one by one what it may not read together: %s', async (_, refusal) => {
    const { client, asked } = await clientOf((path) => (isBatch(path) ? refusal : undefined));
    const observation = await client.readArtist(ARTIST, { depth: 'deep', signal });
    expect(observation).toMatchObject({
      kind: 'complete',
      state: { releases: [{ platformId: ALBUM, tracks: [{ platformId: TRACK, isrc: ISRC }] }, { tracks: [] }] },
    });
    expect(await client.findTracksByIsrc(ISRC, { signal })).toHaveProperty('kind', 'found');
    expect(asked.filter(isBatch)).toHaveLength(1);
  });

  test.each([
    ['a 404 of a gateway', unworded(404)],
    ['a 403 of a gateway', unworded(403)],
    ['a 404 about something', error(404, 'Resource not found')],
    ['500', error(500, 'Server error')],
  ])('takes %s in place of a batch for trouble: no refusal, and nothing that does not exist', async (_, answer) => {
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
  });

  test.each([
    ['the platform', error(403, 'Forbidden')],
    ['a gateway', unworded(403)],
  ])('learns nothing about releases and artists where %s forbids everything', async (_, forbidden) => {
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

  test('goes on asking for large pages after a 400 that a small one gets as well', async () => {
    const list = `/v1/artists/${ARTIST}/albums`;
    const { client, asked } = await clientOf((path) => (path === list ? error(400, 'Bad request') : undefined));
    const read = () => client.readArtist(ARTIST, { depth: 'shallow', signal });
    expect([await read(), await read()]).toMatchObject([{ kind: 'incomplete' }, { kind: 'incomplete' }]);
    expect(asked.filter((address) => address.includes('limit=50'))).toHaveLength(2);
  });

  test('finds nothing, rather than nothing there, where a search shows no ISRC', async () => {
    const { external_ids: _, ...codeless } = track;
    const search = found({ tracks: { items: [codeless], total: 1 } });
    const { client } = await clientOf((path) => (path === '/v1/search' ? search : undefined));
    await expect(client.findTracksByIsrc(ISRC, { signal })).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });
});

describe('what Spotify answers for without naming a market', () => {
  const silent = (thing: object) => found({ ...thing, available_markets: [] });
  const unplayable = (thing: object) => found({ ...thing, is_playable: false });
  const inMarkets = (answers: Readonly<Record<string, Answer>>) =>
    clientOf((path, market) => {
      const thing = path.includes('/tracks/') ? track : album;
      return market === null ? silent(thing) : (answers[market] ?? unplayable(thing));
    });

  test.each<[string, Readonly<Record<string, Answer>>, DirectReading]>([
    ['in no market', {}, 'gone'],
    ['in no market that is asked, and is unknown to some', { US: error(404, 'Resource not found') }, 'gone'],
    ['in one of them', { JP: found({ ...album, is_playable: true }) }, 'alive'],
    ['in one of them by its tracks', { BR: found({ ...album, tracks: { items: [{ is_playable: true }] } }) }, 'alive'],
    ['where another release is answered', { GB: found({ ...album, id: idOf('other'), is_playable: true }) }, 'unknown'],
    ['where a gateway answers', { GB: unworded(404) }, 'unknown'],
  ])('a release that can be played %s', async (_, answers, reading) => {
    const { client } = await inMarkets(answers);
    expect(await client.readDirectly('release', ALBUM, { signal })).toBe(reading);
  });

  test('a track that another one is played for is alive', async () => {
    const other = { ...track, id: idOf('other'), linked_from: { id: TRACK }, is_playable: true };
    const { client, asked } = await inMarkets({ DE: found(other) });
    expect(await client.readDirectly('track', TRACK, { signal })).toBe('alive');
    expect(asked).toHaveLength(4);
  });

  test('a market that is named is enough: none is asked', async () => {
    const { client, asked } = await clientOf(() => found({ ...album, available_markets: ['SE'] }));
    expect(await client.readDirectly('release', ALBUM, { signal })).toBe('alive');
    expect(asked).toHaveLength(1);
  });
});
