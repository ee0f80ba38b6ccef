import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-01T18:30:00.000Z');

async function startOn(platform: 'deezer' | 'spotify') {
  const simulator = await startPlatformSimulator({ platform, seed: 'tools', artists: 3, budget: 'unlimited' });
  suite.onEnd(() => simulator.stop());
  const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }), {
    PLATFORM: platform,
    PLATFORM_URL: simulator.url,
    SPOTIFY_ACCOUNTS_URL: simulator.url,
    PLATFORM_BUDGET: '10000',
    SPOTIFY_CLIENT_ID: 'id',
    SPOTIFY_CLIENT_SECRET: 'secret',
  });
  const [artist] = simulator.state.artists();
  const [release] = simulator.state.releasesOf(artist?.id ?? '');
  const [track] = simulator.state.tracksOf(release?.id ?? '');
  if (!artist || !release || !track) throw new Error('The simulator has no track.');
  return { api, simulator, artist, release, track };
}

const deezer = await startOn('deezer');
const spotify = await startOn('spotify');
const used = async (api: typeof deezer.api, key: string): Promise<number> =>
  (await api.call('/v1/tools', { key })).body.allowance.used;

test('the lookup allowance starts unused and resets at midnight', async () => {
  const { key } = await seedAccount(pool);
  expect((await deezer.api.call('/v1/tools', { key })).body).toEqual({
    allowance: { limit: 1_000, used: 0, remaining: 1_000, resets_at: '2026-05-02T00:00:00.000Z' },
    tools: ['lookup', 'reverse'],
  });
});

describe.each([
  ['Deezer', deezer, (id: string) => `https://www.deezer.com/us/track/${id}?utm_source=x`],
  ['Spotify', spotify, (id: string) => `spotify:track:${id}`],
] as const)('on %s', (name, { api, track, release, artist }, addressOf) => {
  test('a lookup finds the track and its ISRC, and uses one call from the allowance', async () => {
    const { key } = await seedAccount(pool);
    const answer = await api.call('/v1/tools/lookup', { method: 'POST', key, body: { input: addressOf(track.id) } });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        isrc: track.isrc,
        track: {
          platform_id: track.id,
          name: track.title,
          isrc: track.isrc,
          artists: [{ platform_id: artist.id, name: artist.name }],
          release: { platform_id: release.id, name: release.title },
        },
        source: { name, retrieved_at: '2026-05-01T18:30:00.000Z' },
      },
    });
    expect(await used(api, key)).toBe(1);
  });

  test('a reverse lookup finds the tracks for an ISRC in any notation', async () => {
    const { key } = await seedAccount(pool);
    const written = `isrc ${track.isrc.slice(0, 2).toLowerCase()}-${track.isrc.slice(2, 5)}-${track.isrc.slice(5)} `;
    const { status, body } = await api.call('/v1/tools/reverse', { method: 'POST', key, body: { isrc: written } });
    expect([status, body.isrc, body.source.name]).toEqual([200, track.isrc, name]);
    expect(body.track).toEqual(body.matches[0]);
    for (const match of body.matches) expect(match.isrc).toBe(track.isrc);
    expect(await used(api, key)).toBe(1);
  });
});
