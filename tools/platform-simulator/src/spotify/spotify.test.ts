import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import type { SimulatedRelease, SimulatedTrack } from '../world/entities.js';

let simulator: PlatformSimulator;
let token: string;
let nowMs = Date.parse('2026-03-14T12:00:00Z');

beforeAll(async () => {
  simulator = await startPlatformSimulator({
    platform: 'spotify',
    seed: 'test',
    artists: 6,
    budget: 'unlimited',
    clock: { now: () => new Date(nowMs) },
  });
});
beforeEach(async () => {
  token = (await requestToken('id:secret')).body.access_token;
});
afterEach(() => {
  simulator.setQuirks({});
  simulator.setQuota('unlimited');
});
afterAll(() => simulator.stop());

// biome-ignore lint/suspicious/noExplicitAny: the tests check raw responses
type Answer = { readonly status: number; readonly headers: Headers; readonly body: any };

async function requestToken(credentials: string, grant = 'client_credentials'): Promise<Answer> {
  return readAnswer(
    fetch(`${simulator.url}/api/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ grant_type: grant }),
    }),
  );
}

const get = (path: string) =>
  readAnswer(fetch(`${simulator.url}${path}`, { headers: { Authorization: `Bearer ${token}` } }));

async function readAnswer(request: Promise<Response>): Promise<Answer> {
  const response = await request;
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const prolific = () => simulator.state.idOf('artist', 1);
const firstRelease = () => simulator.state.releasesOf(prolific())[0] as SimulatedRelease;
const firstTrack = () => simulator.state.tracksOf(firstRelease().id)[0] as SimulatedTrack;
const UNKNOWN = '0'.repeat(22);

describe('the token', () => {
  test('a token is issued for client credentials and lasts for an hour', async () => {
    expect((await requestToken('id:secret')).body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3_600,
    });
    expect((await get(`/v1/artists/${prolific()}`)).status).toBe(200);
    nowMs += 3_600_000;
    const late = await get(`/v1/artists/${prolific()}`);
    expect([late.status, late.body]).toEqual([401, { error: { status: 401, message: 'The access token expired' } }]);
  });

  test('a token is not issued for wrong credentials or other grant types', async () => {
    expect(await requestToken('')).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    expect(await requestToken('id:secret', 'password')).toMatchObject({ status: 400 });
  });

  test('every path requires a token', async () => {
    const response = await fetch(`${simulator.url}/v1/artists/${prolific()}`);
    expect(response.status).toBe(401);
  });
});

describe('responses like those from api.spotify.com', () => {
  test('an artist has followers, and pictures whose URLs end with their content id', async () => {
    const artist = simulator.state.known('artist', prolific());
    expect((await get(`/v1/artists/${prolific()}`)).body).toMatchObject({
      id: prolific(),
      followers: { href: null, total: artist.followers },
      images: [{ url: expect.stringMatching(new RegExp(`/ab6761610000e5eb${artist.imageId.slice(0, 24)}$`)) }, {}, {}],
    });
  });

  test('the pages of the album list contain each album once', async () => {
    const ids: string[] = [];
    let next: string | null = `/v1/artists/${prolific()}/albums?include_groups=album,single,compilation&limit=50`;
    while (next) {
      const { body: page }: Answer = await get(next);
      expect(page.total).toBe(130);
      ids.push(...page.items.map((album: { id: string }) => album.id));
      next = page.next?.slice(simulator.url.length) ?? null;
    }
    expect(new Set(ids).size).toBe(130);
  });

  test('releases on which the artist is a guest are listed only on request', async () => {
    const guests = simulator.state
      .artists()
      .filter((artist) => simulator.state.releasesWithGuest(artist.id).length > 0);
    const { id } = guests[0] as { id: string };
    const { body } = await get(`/v1/artists/${id}/albums?include_groups=appears_on`);
    expect(body.total).toBe(simulator.state.releasesWithGuest(id).length);
    expect(body.items[0]).toMatchObject({ album_group: 'appears_on' });
  });

  test('only the full album has the UPC, and only the full track has the ISRC', async () => {
    const { body: album } = await get(`/v1/albums/${firstRelease().id}`);
    expect(album).toMatchObject({ label: firstRelease().label, external_ids: { upc: firstRelease().upc } });
    expect(album.tracks.items[0]).not.toHaveProperty('external_ids');
    const { body: track } = await get(`/v1/tracks/${firstTrack().id}`);
    expect(track).toMatchObject({ external_ids: { isrc: firstTrack().isrc }, album: { id: firstRelease().id } });
  });

  test('a batch request returns null for missing items', async () => {
    const { body } = await get(`/v1/tracks?ids=${firstTrack().id},${UNKNOWN}`);
    expect(body.tracks).toMatchObject([{ id: firstTrack().id }, null]);
    expect((await get(`/v1/albums?ids=${Array(21).fill(UNKNOWN).join(',')}`)).status).toBe(400);
  });

  test('a search by ISRC finds every track of the recording', async () => {
    const { body } = await get(`/v1/search?q=isrc:${firstTrack().isrc}&type=track&limit=10`);
    expect(body.tracks.total).toBe(simulator.state.tracksByIsrc(firstTrack().isrc).length);
    expect(body.tracks.items[0].external_ids.isrc).toBe(firstTrack().isrc);
  });

  test('a missing item gets 404, and an invalid id or limit gets 400', async () => {
    expect(await get(`/v1/artists/${UNKNOWN}`)).toMatchObject({ status: 404, body: { error: { status: 404 } } });
    expect(await get('/v1/artists/5000001')).toMatchObject({ status: 400, body: { error: { status: 400 } } });
    expect(await get(`/v1/artists/${prolific()}/albums?limit=51`)).toMatchObject({ status: 400 });
  });

  test('requests beyond the quota get 429 with Retry-After', async () => {
    simulator.setQuota({ requests: 1, windowMs: 30_000 });
    await get(`/v1/artists/${prolific()}`);
    const refused = await get(`/v1/artists/${prolific()}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  });

  describe('for an app in development mode', () => {
    beforeEach(() => simulator.setQuirks({ developmentMode: 1 }));

    test('some fields are missing, but the codes are not', async () => {
      const { body: album } = await get(`/v1/albums/${firstRelease().id}`);
      expect(Object.keys(album)).not.toEqual(expect.arrayContaining(['label']));
      expect(album.external_ids).toEqual({ upc: firstRelease().upc });
      expect(album.tracks.items[0]).not.toHaveProperty('available_markets');
      const { body: track } = await get(`/v1/tracks/${firstTrack().id}`);
      expect(track.external_ids).toEqual({ isrc: firstTrack().isrc });
    });

    test('batch requests are rejected', async () => {
      const refusal = { status: 403, body: { error: { status: 403, message: 'Forbidden' } } };
      expect(await get(`/v1/tracks?ids=${firstTrack().id}`)).toMatchObject(refusal);
      expect(await get(`/v1/albums?ids=${firstRelease().id}`)).toMatchObject(refusal);
    });

    test('pages of more than ten releases are rejected, but pages of fifty tracks are not', async () => {
      const albums = `/v1/artists/${prolific()}/albums`;
      const refusal = { status: 400, body: { error: { status: 400, message: 'Invalid limit' } } };
      for (const limit of [50, 11]) expect(await get(`${albums}?limit=${limit}`)).toMatchObject(refusal);
      expect((await get(`${albums}?limit=10`)).body.items).toHaveLength(10);
      expect((await get(albums)).body.items).toHaveLength(5);
      expect(await get(`/v1/albums/${firstRelease().id}/tracks?limit=50`)).toHaveProperty('status', 200);
    });
  });
});
