import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';

let simulator: PlatformSimulator;

beforeAll(async () => {
  simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'test', artists: 4, budget: 'unlimited' });
});
afterAll(() => simulator.stop());

// biome-ignore lint/suspicious/noExplicitAny: the tests check raw responses
type Answer = { readonly status: number; readonly body: any };

async function control(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${simulator.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
const platform = async (path: string): Promise<any> => (await fetch(`${simulator.url}${path}`)).json();

const A_RELEASE = '100000000';
const AN_ARTIST = '5000000';

describe('the control server', () => {
  test('the control server returns the whole state, or one artist', async () => {
    expect((await control('GET', '/state')).body.artists).toHaveLength(4);
    const one = (await control('GET', `/state?artist=${AN_ARTIST}`)).body;
    expect(one).toMatchObject({ platform: 'deezer', artists: [{ id: AN_ARTIST }] });
    expect(one.artists[0].releases[0].tracks[0]).toMatchObject({ isrc: expect.any(String), markets: 'all' });
  });

  test('a removed release is missing from the list and from direct reads, and can be restored under its original id', async () => {
    const listed = async () =>
      (await platform(`/artist/${AN_ARTIST}/albums?limit=100`)).data.some(
        (album: { id: number }) => String(album.id) === A_RELEASE,
      );
    expect(await listed()).toBe(true);
    expect((await control('POST', `/releases/${A_RELEASE}/remove`)).status).toBe(200);
    expect(await listed()).toBe(false);
    expect(await platform(`/album/${A_RELEASE}`)).toHaveProperty('error');
    await control('POST', `/releases/${A_RELEASE}/restore`);
    expect(await listed()).toBe(true);
  });

  test('the control server changes every field of a release that the detector compares', async () => {
    await control('POST', `/releases/${A_RELEASE}/rename`, { title: 'Renamed' });
    const artworkBefore = (await platform(`/album/${A_RELEASE}`)).md5_image;
    await control('POST', `/releases/${A_RELEASE}/artwork`);
    await control('PATCH', `/releases/${A_RELEASE}`, {
      label: 'New Label',
      upc: '012345678905',
      releaseDate: '2020-02-02',
      explicit: true,
      type: 'ep',
      markets: ['FR', 'DE'],
    });
    const album = await platform(`/album/${A_RELEASE}`);
    expect(album).toMatchObject({
      title: 'Renamed',
      label: 'New Label',
      upc: '012345678905',
      release_date: '2020-02-02',
      explicit_lyrics: true,
      record_type: 'ep',
    });
    expect(album.md5_image).not.toBe(artworkBefore);
    expect((await platform(`/track/${album.tracks.data[0].id}`)).available_countries).toEqual(['FR', 'DE']);
  });

  test('the control server renames and removes tracks and changes an ISRC, without moving other tracks', async () => {
    const before = (await platform(`/album/${A_RELEASE}/tracks`)).data;
    const [first, second] = before;
    await control('POST', `/tracks/${first.id}/remove`);
    await control('POST', `/tracks/${second.id}/rename`, { title: 'Second' });
    await control('POST', `/tracks/${second.id}/isrc`, { isrc: 'USABC2412345' });
    const after = (await platform(`/album/${A_RELEASE}/tracks`)).data;
    expect(after).toHaveLength(before.length - 1);
    expect(after[0]).toMatchObject({ id: second.id, title: 'Second', isrc: 'USABC2412345', track_position: 2 });
    expect((await platform('/track/isrc:USABC2412345')).id).toBe(second.id);
    expect(await platform(`/track/isrc:${second.isrc}`)).not.toHaveProperty('id', second.id);
  });

  test('the control server creates an artist with releases, and a release with given ISRCs', async () => {
    const artist = (await control('POST', '/artists', { name: 'New Artist', followers: 7, releases: 2 })).body;
    expect(await platform(`/artist/${artist.id}`)).toMatchObject({ name: 'New Artist', nb_fan: 7, nb_album: 2 });
    const release = (await control('POST', '/releases', { artistId: artist.id, tracks: ['USABC2499999'] })).body;
    expect((await platform(`/album/${release.id}/tracks`)).data).toMatchObject([{ isrc: 'USABC2499999' }]);
  });

  test("the control server removes a country from an artist's whole catalogue and adds it back", async () => {
    const { id } = (await control('POST', '/artists', { releases: 2 })).body;
    const sold = async () => {
      const [artist] = (await control('GET', `/state?artist=${id}`)).body.artists;
      return artist.releases.map(({ markets }: { markets: 'all' | string[] }) => [...markets].includes('NZ'));
    };
    await control('POST', `/artists/${id}/close-markets`, { countries: ['NZ'] });
    expect(await sold()).toEqual([false, false]);
    await control('POST', `/artists/${id}/open-markets`, { countries: ['NZ'] });
    expect(await sold()).toEqual([true, true]);
  });

  test('the control server renames and removes an artist', async () => {
    await control('POST', '/artists/5000003/rename', { name: 'Other Name' });
    await control('POST', '/artists/5000003/followers', { followers: 5 });
    expect(await platform('/artist/5000003')).toMatchObject({ name: 'Other Name', nb_fan: 5 });
    await control('POST', '/artists/5000003/remove');
    expect(await platform('/artist/5000003')).toHaveProperty('error.code', 800);
    expect(await platform('/artist/5000003/albums')).toEqual({ data: [], total: 0 });
  });

  test('the control server counts requests by path', async () => {
    await control('DELETE', '/requests');
    await platform('/artist/5000001');
    await platform('/artist/5000001');
    expect((await control('GET', '/requests')).body).toEqual({ total: 2, byPath: { '/artist/5000001': 2 } });
  });

  test('the control server sets and returns the quirks and the quota', async () => {
    expect((await control('PUT', '/quirks', { noDataError: 1, slow: { probability: 0.1 } })).status).toBe(200);
    expect((await control('GET', '/quirks')).body).toEqual({
      noDataError: { probability: 1 },
      slow: { probability: 0.1, delayMs: 3_000 },
    });
    await control('PUT', '/quirks', {});
    expect((await control('PUT', '/quota', { requests: 1, windowMs: 1_000 })).status).toBe(200);
    expect((await control('GET', '/quota')).body).toEqual({ requests: 1, windowMs: 1_000 });
    await control('PUT', '/quota', { unlimited: true });
  });

  test.each([
    ['POST', '/releases/1/remove', undefined, 404],
    ['POST', '/nothing', undefined, 404],
    ['POST', `/releases/${A_RELEASE}/rename`, {}, 400],
    ['POST', `/releases/${A_RELEASE}/remove`, { why: 'x' }, 400],
    ['PUT', '/quirks', { noSuchQuirk: 1 }, 400],
    ['PUT', '/quirks', { noDataError: 2 }, 400],
  ])('the control request %s %s with %j is rejected with a reason', async (method, path, body, status) => {
    const answer = await control(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toEqual({ code: expect.any(String), message: expect.any(String) });
  });
});
