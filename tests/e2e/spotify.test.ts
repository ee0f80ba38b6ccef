import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { onSuiteServers, type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { until } from '../harness/until.js';

/** The test starts a whole system and runs half an hour of confirmation in seconds. */
const TIMEOUT_MS = 180_000;

let stack: StackProcess;
let api: (path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: Answer }>;
let control: string;

// biome-ignore lint/suspicious/noExplicitAny: responses are read as an untyped client would read them
type Answer = any;

beforeAll(async () => {
  stack = await startStackProcess({
    args: ['--dashboards', '0'],
    // Spotify's quota, which is removed below, does not allow this rate.
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

const untilReadMoreThanThreeTimes = (artistPlatformId: string) =>
  until(
    'a poll after the detailed reads',
    async () => {
      const { byPath } = (await (await fetch(`${control}/requests`)).json()) as Answer;
      return byPath[`/v1/artists/${artistPlatformId}`] > 3;
    },
    TIMEOUT_MS,
  );

const untilChangeOf = (artistId: string): Promise<Answer> =>
  until(
    'the confirmed removal',
    async () => (await api('/changes')).body.data.find((one: Answer) => one.artist_id === artistId),
    TIMEOUT_MS,
  );

test(
  'on Spotify, a removal is confirmed and read in the feed',
  async () => {
    const [watched] = (await api('/artists')).body.data;
    expect(watched.platform_id).toMatch(/^[0-9A-Za-z]{22}$/);
    await untilReadMoreThanThreeTimes(watched.platform_id);
    const { artists } = (await (await fetch(`${control}/state?artist=${watched.platform_id}`)).json()) as Answer;
    await command('POST', `/releases/${artists[0].releases[2].id}/remove`);
    const change = await untilChangeOf(watched.id);
    expect(change).toMatchObject({ type: 'release_removed', severity: 'critical' });
    expect(change.entity_id).toBe(artists[0].releases[2].id);
  },
  TIMEOUT_MS,
);

test(
  'on Spotify, an artist can be watched by URL, and a track can be found by URL and by ISRC',
  async () => {
    const { artists } = (await (await fetch(`${control}/state`)).json()) as Answer;
    const { data: known } = (await api('/artists')).body;
    const artist = artists.find(({ id }: Answer) => !known.some((one: Answer) => one.platform_id === id));
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
  'on Spotify, an app in development mode detects a removal in a list of several small pages',
  async () => {
    await command('PUT', '/quirks', { developmentMode: 1 });
    const artist = await command('POST', '/artists', { releases: 0 });
    const releases: Answer[] = [];
    for (let i = 0; i < 12; i++) {
      releases.push(await command('POST', '/releases', { artistId: artist.id, type: 'single', tracks: 1 }));
    }
    const { body: watched } = await api('/artists', { url: `https://open.spotify.com/artist/${artist.id}` });
    await untilReadMoreThanThreeTimes(artist.id);
    await command('POST', `/releases/${releases[0].id}/remove`);
    expect(await untilChangeOf(watched.id)).toMatchObject({ type: 'release_removed', severity: 'critical' });
  },
  TIMEOUT_MS,
);
