import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { onSuiteServers, type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { until } from '../harness/until.js';

/** A whole system is started, and a scenario of minutes is played in seconds. */
const TIMEOUT_MS = 180_000;

let stack: StackProcess;
let api: (path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: Answer }>;
let control: string;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as a client without types would
type Answer = any;

beforeAll(async () => {
  stack = await startStackProcess({
    args: ['--seed', 'empty', '--scenario', 'removed', '--speed', '100', '--dashboards', '0'],
    // Read and confirmed faster than the scenario asks for, and than Spotify's quota allows (below): the steps of the
    // platform decide how long it takes.
    env: {
      ...(await onSuiteServers()),
      ...{ PLATFORM: 'spotify', POLL_INTERVAL_FACTOR: '0.002', CONFIRM_SPAN: '3s', CONFIRM_INTERVAL: '1s' },
      PLATFORM_BUDGET: '1000',
    },
  });
  const { apiUrl, apiKey, platformControlUrl, env } = await stack.state();
  expect(env).toMatchObject({ PLATFORM: 'spotify', SPOTIFY_CLIENT_ID: expect.any(String) });
  control = platformControlUrl ?? '';
  await command('PUT', '/quota', { unlimited: true });
  api = async (path, body) => {
    const response = await fetch(`${apiUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
}, TIMEOUT_MS);
afterAll(() => stack?.stop(), TIMEOUT_MS);

async function command(method: 'POST' | 'PUT', path: string, body: unknown = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${control}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
  return response.json();
}

test(
  'on Spotify, the removal that a played scenario brings is confirmed and read in the feed',
  async () => {
    const { body } = await api('/artists');
    expect(body.data).toMatchObject([{ platform_id: expect.stringMatching(/^[0-9A-Za-z]{22}$/) }]);
    const change = await until(
      'the confirmed removal',
      async () => (await api('/changes')).body.data.find((one: Answer) => one.type === 'release_removed'),
      TIMEOUT_MS,
    );
    expect(change).toMatchObject({ severity: 'critical', artist_id: body.data[0].id });
    const { steps } = (await (await fetch(`${control}/scenario`)).json()) as Answer;
    expect(steps).toMatchObject([{ what: 'remove_release', state: 'done' }]);
  },
  TIMEOUT_MS,
);

test(
  'on Spotify, an artist is watched by its address, and a track is found by its address and by its ISRC',
  async () => {
    const { artists } = (await (await fetch(`${control}/state`)).json()) as Answer;
    const [artist] = artists;
    const watched = await api('/artists', { url: `https://open.spotify.com/intl-de/artist/${artist.id}?si=x` });
    expect([watched.status, watched.body.platform_id]).toEqual([201, artist.id]);
    const [track] = artist.releases[0].tracks;
    const found = await api('/tools/lookup', { input: `https://open.spotify.com/track/${track.id}` });
    expect(found).toMatchObject({ status: 200, body: { isrc: track.isrc, track: { platform_id: track.id } } });
    const reversed = await api('/tools/reverse', { isrc: track.isrc });
    expect(reversed.status).toBe(200);
    expect(reversed.body.matches.map((match: Answer) => match.isrc)).toContain(track.isrc);
  },
  TIMEOUT_MS,
);

test(
  'on Spotify, an app in development mode learns of a removal from a list of more than one small page',
  async () => {
    await command('PUT', '/quirks', { developmentMode: 1 });
    const artist = await command('POST', '/artists', { releases: 0 });
    const releases: Answer[] = [];
    for (let i = 0; i < 12; i++) {
      releases.push(await command('POST', '/releases', { artistId: artist.id, type: 'single', tracks: 1 }));
    }
    const { body: watched } = await api('/artists', { url: `https://open.spotify.com/artist/${artist.id}` });
    await until(
      'a reading after those of the list and of its tracks',
      async () => {
        const { byPath } = (await (await fetch(`${control}/requests`)).json()) as Answer;
        return byPath[`/v1/artists/${artist.id}`] > 3;
      },
      TIMEOUT_MS,
    );
    await command('POST', `/releases/${releases[0].id}/remove`);
    const change = await until(
      'the confirmed removal',
      async () => (await api('/changes')).body.data.find((one: Answer) => one.artist_id === watched.id),
      TIMEOUT_MS,
    );
    expect(change).toMatchObject({ type: 'release_removed', severity: 'critical' });
  },
  TIMEOUT_MS,
);
