import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { QuirksInput } from '../quirks/quirks.js';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import type { SimulatedRelease, SimulatedTrack } from '../world/entities.js';

const PROLIFIC = '5000001';
const NO_DATA = { error: { type: 'DataException', message: 'no data', code: 800 } };
const QUOTA = { error: { type: 'Exception', message: 'Quota limit exceeded', code: 4 } };

let simulator: PlatformSimulator;

beforeAll(async () => {
  simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'test', artists: 6, budget: 'unlimited' });
});
afterEach(() => {
  simulator.setQuirks({});
  simulator.setQuota('unlimited');
});
afterAll(() => simulator.stop());

// biome-ignore lint/suspicious/noExplicitAny: the tests check raw responses
async function get(path: string): Promise<any> {
  const response = await fetch(`${simulator.url}${path}`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return response.json();
}

const firstRelease = () => simulator.state.releasesOf(PROLIFIC)[0] as SimulatedRelease;
const firstTrack = () => simulator.state.tracksOf(firstRelease().id)[0] as SimulatedTrack;

describe('responses like those from api.deezer.com', () => {
  test('an artist has a numeric id, followers as nb_fan, and a picture with its content id', async () => {
    const artist = simulator.state.known('artist', PROLIFIC);
    expect(await get(`/artist/${PROLIFIC}`)).toMatchObject({
      id: Number(PROLIFIC),
      name: artist.name,
      nb_fan: artist.followers,
      nb_album: 130,
      picture_xl: expect.stringContaining(`/artist/${artist.imageId}/`),
      type: 'artist',
    });
  });

  test('the pages of the album list contain each album once', async () => {
    const ids: number[] = [];
    let next: string | undefined = `/artist/${PROLIFIC}/albums`;
    let pages = 0;
    while (next) {
      const page = await get(next);
      expect(page.total).toBe(130);
      ids.push(...page.data.map((album: { id: number }) => album.id));
      next = page.next?.slice(simulator.url.length);
      pages++;
    }
    expect(pages).toBe(6);
    expect(new Set(ids).size).toBe(130);
  });

  test('a page has at most 100 items', async () => {
    expect((await get(`/artist/${PROLIFIC}/albums?limit=1000`)).data).toHaveLength(100);
  });

  test('the list omits fields that only the full album has', async () => {
    const [album] = (await get(`/artist/${PROLIFIC}/albums?limit=1`)).data;
    const { title, artworkId, upc, label } = simulator.state.known('release', String(album.id));
    expect(album).toMatchObject({ title, md5_image: artworkId });
    expect(Object.keys(album)).not.toEqual(expect.arrayContaining(['upc', 'label', 'tracks']));
    expect(await get(`/album/${album.id}`)).toMatchObject({
      upc,
      label,
      contributors: [{ id: Number(PROLIFIC), role: 'Main' }],
    });
  });

  test('the track list and the track contain the ISRC, but the album does not', async () => {
    const album = await get(`/album/${firstRelease().id}`);
    expect(album.tracks.data[0]).not.toHaveProperty('isrc');
    const list = await get(`/album/${firstRelease().id}/tracks`);
    expect(list.data[0]).toMatchObject({ isrc: firstTrack().isrc, track_position: 1, disk_number: 1 });
    const track = await get(`/track/${firstTrack().id}`);
    expect(track).toMatchObject({ isrc: firstTrack().isrc, album: { id: Number(firstRelease().id) } });
    expect(track.available_countries).toContain('FR');
  });

  test('a track is found by its ISRC and an album by its UPC', async () => {
    expect((await get(`/track/isrc:${firstTrack().isrc}`)).isrc).toBe(firstTrack().isrc);
    expect((await get(`/album/upc:${firstRelease().upc}`)).id).toBe(Number(firstRelease().id));
  });

  test.each(['/artist/1', '/album/1', '/album/1/tracks', '/track/1', '/track/isrc:USAAA0000000'])(
    'a missing item is an error with status 200: %s',
    async (path) => expect(await get(path)).toEqual(NO_DATA),
  );

  test('the album list for a missing artist is empty', async () => {
    expect(await get('/artist/1/albums')).toEqual({ data: [], total: 0 });
  });

  test('the album list is grouped by record type', async () => {
    const types = (await get(`/artist/${PROLIFIC}/albums?limit=100`)).data.map(
      (album: { record_type: string }) => album.record_type,
    );
    expect(types.filter((type: string, index: number) => type !== types[index - 1])).toEqual(['album', 'single']);
  });

  test('an unknown path is an error with status 200', async () => {
    expect(await get('/nothing')).toMatchObject({ error: { type: 'InvalidQueryException', code: 600 } });
  });

  test('requests beyond the quota get the quota error', async () => {
    simulator.setQuota({ requests: 50, windowMs: 60_000 });
    for (let i = 0; i < 50; i++) expect(await get('/artist/5000002')).not.toHaveProperty('error');
    expect(await get('/artist/5000002')).toEqual(QUOTA);
  });
});

describe('the quirks', () => {
  const quirk = (quirks: QuirksInput) => simulator.setQuirks(quirks);

  test('`noDataError`, `quotaError` and `busyError` return errors for existing items', async () => {
    quirk({ noDataError: 1 });
    expect(await get(`/artist/${PROLIFIC}`)).toEqual(NO_DATA);
    quirk({ quotaError: 1 });
    expect(await get(`/artist/${PROLIFIC}`)).toEqual(QUOTA);
    quirk({ busyError: 1 });
    expect(await get(`/artist/${PROLIFIC}`)).toMatchObject({ error: { code: 700 } });
  });

  test('`serverError`, `tooManyRequests` and `notJson` replace the API response', async () => {
    quirk({ serverError: { probability: 1, status: 502 } });
    expect((await fetch(`${simulator.url}/artist/${PROLIFIC}`)).status).toBe(502);
    quirk({ tooManyRequests: { probability: 1, retryAfterSeconds: 600 } });
    const refused = await fetch(`${simulator.url}/artist/${PROLIFIC}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    quirk({ notJson: 1 });
    const page = await fetch(`${simulator.url}/artist/${PROLIFIC}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test.each(['cutConnection', 'cutBody'] as const)('%s leaves the client without a response', async (name) => {
    quirk({ [name]: 1 });
    const answer = fetch(`${simulator.url}/artist/${PROLIFIC}`).then((response) => response.text());
    await expect(answer).rejects.toThrow();
  });

  test('`laterPageFails` affects only pages after the first one', async () => {
    quirk({ laterPageFails: { probability: 1 } });
    expect((await get(`/artist/${PROLIFIC}/albums?limit=100`)).data).toHaveLength(100);
    const failed = await fetch(`${simulator.url}/artist/${PROLIFIC}/albums?limit=100&index=100`).then(
      async (response) => (response.ok ? ((await response.json()) as { error?: unknown }).error !== undefined : true),
      () => true,
    );
    expect(failed).toBe(true);
  });

  test('`wrongTotal` and `missingItem` make a list differ from its total', async () => {
    quirk({ wrongTotal: { probability: 1, by: -2 } });
    expect((await get('/artist/5000002/albums')).total).toBe(-1);
    quirk({ missingItem: 1 });
    expect(await get('/artist/5000002/albums')).toMatchObject({ data: [], total: 1 });
  });

  test('`vanishingFields` removes fields', async () => {
    const whole = await get(`/album/${firstRelease().id}`);
    quirk({ vanishingFields: 1 });
    const thinned = await get(`/album/${firstRelease().id}`);
    expect(Object.values(thinned).filter((value) => value !== null).length).toBeLessThan(Object.keys(whole).length);
  });

  test('`relink` returns a different entity', async () => {
    quirk({ relink: 1 });
    expect((await get(`/artist/${PROLIFIC}`)).id).not.toBe(Number(PROLIFIC));
    expect((await get(`/album/${firstRelease().id}`)).id).not.toBe(Number(firstRelease().id));
  });

  test('`zeroFollowers` sets the follower count to 0', async () => {
    quirk({ zeroFollowers: 1 });
    expect((await get(`/artist/${PROLIFIC}`)).nb_fan).toBe(0);
  });

  test('`foreignCountry` hides items that are not sold in that country', async () => {
    const [hidden] = simulator.state.releasesOf(PROLIFIC).filter((release) => !release.markets.includes('US'));
    quirk({ foreignCountry: { probability: 1, country: 'US' } });
    expect((await get('/infos')).country_iso).toBe('US');
    expect((await get(`/artist/${PROLIFIC}/albums`)).total).toBeLessThan(130);
    expect(await get(`/album/${hidden?.id}`)).toEqual(NO_DATA);
  });

  test('a quirk affects only its paths and applies at most the given number of times', async () => {
    quirk({ noDataError: { probability: 1, paths: '^/album/', times: 1 } });
    expect(await get(`/artist/${PROLIFIC}`)).not.toHaveProperty('error');
    expect(await get(`/album/${firstRelease().id}`)).toEqual(NO_DATA);
    expect(await get(`/album/${firstRelease().id}`)).not.toHaveProperty('error');
  });

  test('with the same seed, quirks affect the same requests whatever their order', async () => {
    const ids = simulator.state.releasesOf(PROLIFIC).map((release) => release.id);
    const collectAffected = async (order: readonly string[]) => {
      const other = await startPlatformSimulator({
        platform: 'deezer',
        seed: 'test',
        artists: 3,
        budget: 'unlimited',
        quirks: { noDataError: 0.3 },
      });
      const affected: string[] = [];
      for (const id of order) {
        const answer = (await (await fetch(`${other.url}/album/${id}`)).json()) as { error?: unknown };
        if (answer.error) affected.push(id);
      }
      await other.stop();
      return affected.sort();
    };
    const affected = await collectAffected(ids);
    expect(affected.length).toBeGreaterThan(0);
    expect(affected.length).toBeLessThan(ids.length);
    expect(await collectAffected([...ids].reverse())).toEqual(affected);
  });
});
