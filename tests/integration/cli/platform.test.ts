import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Recording } from '@artist-watch/catalogue/recording';
import { useSuite } from '@artist-watch/harness/suite';
import { type PlatformSimulator, startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createTestCli, type TestCli } from './run-cli.js';

const SECRET = 'secret-of-the-app';
const PLATFORMS = ['deezer', 'spotify'] as const;

let directory: string;
const simulators = new Map<string, PlatformSimulator>();

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-recording-'));
  for (const platform of PLATFORMS) {
    simulators.set(platform, await startPlatformSimulator({ platform, seed: 'recording', artists: 4 }));
  }
});
afterEach(() => {
  for (const simulator of simulators.values()) {
    simulator.setQuirks({});
    simulator.setQuota('unlimited');
    simulator.requests.clear();
  }
});
afterAll(async () => {
  await Promise.all([...simulators.values()].map((simulator) => simulator.stop()));
  await rm(directory, { recursive: true, force: true });
});

function onPlatform(platform: (typeof PLATFORMS)[number], settings: Record<string, string> = {}) {
  const simulator = simulators.get(platform) as PlatformSimulator;
  const env = {
    PLATFORM: platform,
    PLATFORM_URL: simulator.url,
    SPOTIFY_ACCOUNTS_URL: simulator.url,
    SPOTIFY_CLIENT_ID: 'app',
    SPOTIFY_CLIENT_SECRET: SECRET,
    ...settings,
  };
  const [artist] = simulator.state.artists();
  const artistId = artist?.id ?? '';
  return { simulator, artistId, releases: simulator.state.releasesOf(artistId), cli: createTestCli(env), env };
}

async function record(cli: TestCli, ...args: string[]) {
  const file = path.join(directory, `${Math.random()}.json`);
  const printed = await cli.json('platform', 'record', '--out', file, ...args);
  const text = await readFile(file, 'utf8');
  return { file, printed, text, recording: JSON.parse(text) as Recording };
}

// biome-ignore lint/suspicious/noExplicitAny: the printed document is checked without types
const replayed = (file: string, cli = createTestCli({})) => cli.json<any>('platform', 'replay', file);

describe.each(PLATFORMS)('a recording of a poll on %s', (platform) => {
  test('a recording gives the same results as the poll, without the platform and without settings', async () => {
    const { cli, artistId, releases, simulator } = onPlatform(platform);
    const release = releases[0]?.id ?? '';
    const { file, printed, recording } = await record(cli, '--artist', artistId, '--release', release);
    expect(printed).toMatchObject({
      observation: 'complete',
      releases: releases.length,
      direct: { [release]: 'alive' },
    });
    expect(printed.answers).toBe(simulator.requests.counts().total);
    expect(recording.answers.map(({ status }) => status)).not.toContain(null);
    simulator.requests.clear();

    const found = await replayed(file);
    expect(found).toMatchObject({ observation: 'complete', releases: releases.length, not_in_recording: [] });
    expect(found.direct).toEqual({ [release]: 'alive' });
    const read = found.catalogue.releases.find((one: { platformId: string }) => one.platformId === release);
    expect(read.tracks.map((track: { isrc: string }) => track.isrc).sort()).toEqual(
      simulator.state
        .tracksOf(release)
        .map(({ isrc }) => isrc)
        .sort(),
    );
    expect(simulator.requests.counts().total).toBe(0);
  });

  test('a recording contains no credentials', async () => {
    const { cli, artistId } = onPlatform(platform);
    const { text, recording } = await record(cli, '--artist', artistId);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(Buffer.from(`app:${SECRET}`).toString('base64'));
    const tokens = recording.answers.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
    const removed = { access_token: 'removed', token_type: 'Bearer', expires_in: 3600 };
    expect(tokens).toEqual(platform === 'spotify' ? [removed] : []);
    expect(recording.answers.flatMap(({ headers }) => Object.keys(headers))).not.toContain('authorization');
  });

  test.each([
    ['a response that is not JSON', { notJson: 1 }],
    ['a closed connection', { cutConnection: 1 }],
    ['a list that lacks an item', { missingItem: 1 }],
  ])('a recording keeps %s, so that the observation is incomplete for the same reason', async (_, quirks) => {
    const { cli, artistId, simulator } = onPlatform(platform);
    simulator.setQuirks(quirks);
    const { file, printed } = await record(cli, '--artist', artistId);
    expect(printed).toMatchObject({ observation: 'incomplete' });
    const { observation, incomplete_reason } = await replayed(file);
    expect([observation, incomplete_reason]).toEqual(['incomplete', printed.incomplete_reason]);
  });

  test('a recording shows that a release was removed and that an artist is unknown', async () => {
    const { cli, artistId, releases, simulator } = onPlatform(platform);
    const release = releases.at(-1)?.id ?? '';
    simulator.state.known('release', release).removed = true;
    const { file } = await record(cli, '--artist', artistId, '--release', release);
    expect((await replayed(file)).direct).toEqual({ [release]: 'gone' });
    const unknown = await record(cli, '--artist', platform === 'deezer' ? '999999999' : '0'.repeat(22));
    expect(await replayed(unknown.file)).toMatchObject({ observation: 'artist_gone', catalogue: null });
  });

  test('the replay names the requests for which the recording has no response', async () => {
    const { cli, artistId } = onPlatform(platform);
    const { file, recording } = await record(cli, '--artist', artistId);
    const [list] = recording.answers.filter((answer) => answer.path.includes('/albums'));
    const without = { ...recording, answers: recording.answers.filter(({ path: asked }) => asked !== list?.path) };
    await writeFile(file, JSON.stringify(without));
    expect(await replayed(file)).toMatchObject({
      observation: 'incomplete',
      not_in_recording: [`GET ${list?.path}`],
    });
  });
});

test('a recording can go to standard output, and nothing else is printed there', async () => {
  const { cli, artistId } = onPlatform('deezer');
  const { exitCode, stdout } = await cli.run('platform', 'record', '--artist', artistId, '--out', '-');
  expect([exitCode, JSON.parse(stdout).reading.artist_platform_id]).toEqual([0, artistId]);
});

test('a file that is not a recording, or cannot be read or written, is rejected with one sentence', async () => {
  const file = path.join(directory, 'other.json');
  await writeFile(file, '{"format":"other"}');
  const cli = createTestCli({});
  expect(await cli.refusal('platform', 'replay', file)).toMatch(/is not a platform recording \(format: .*\)\.\n$/);
  expect(await cli.refusal('platform', 'replay', `${file}.none`)).toMatch(/cannot be read \(ENOENT\)\.\n$/);
  const { artistId, cli: asking } = onPlatform('deezer');
  expect(await asking.refusal('platform', 'record', '--artist', artistId, '--out', directory)).toMatch(
    /cannot be written \(EISDIR\)\.\n$/,
  );
});

describe('doctor --platform', () => {
  async function examine(platform: (typeof PLATFORMS)[number], settings: Record<string, string> = {}, artist?: string) {
    const { cli, artistId } = onPlatform(platform, settings);
    const { exitCode, stdout } = await cli.run('doctor', '--platform', '--artist', artist ?? artistId, '--json');
    const { healthy, checks } = JSON.parse(stdout) as {
      healthy: boolean;
      checks: { check: string; state: string; found: string }[];
    };
    expect(exitCode).toBe(healthy ? 0 : 1);
    return Object.fromEntries(checks.map(({ check, state, found }) => [check, `${state}: ${found}`]));
  }

  test("doctor --platform needs only the platform, and reports Deezer's fields and how many artists can be polled", async () => {
    const found = await examine('deezer');
    expect(found).toEqual({
      platform: expect.stringMatching(/^ok: .* responds, directly\.$/),
      'platform.artist': expect.stringMatching(/^ok: .+: the list has \d+ releases\.$/),
      'platform.fields': expect.stringMatching(
        /^ok: Shown: .*labels, UPCs, markets.*ISRCs.* Not shown: monthly listeners\.$/,
      ),
      'platform.budget': expect.stringMatching(
        /^ok: The check used \d+ requests\. The budget is 34 requests per 5 s\. .*every 15 minutes/,
      ),
    });
  });

  test('doctor --platform distinguishes development mode from extended quota, and names changes that cannot be detected', async () => {
    expect(await examine('spotify')).toMatchObject({
      'platform.mode': expect.stringContaining('ok: Extended quota'),
      'platform.fields': expect.stringMatching(/^ok: .*labels, UPCs, markets/),
    });
    onPlatform('spotify').simulator.setQuirks({ developmentMode: 1 });
    expect(await examine('spotify')).toMatchObject({
      'platform.mode': expect.stringContaining('warning: Development mode'),
      'platform.fields': expect.stringMatching(
        /^warning: .*Not shown: followers, monthly listeners, labels, markets\. Changes that cannot be detected: followers_spike, followers_drop, label_changed, availability_reduced, availability_expanded\.$/,
      ),
    });
  });

  test('a quota that others have used up causes a warning', async () => {
    const { simulator } = onPlatform('deezer');
    simulator.setQuirks({ tooManyRequests: { probability: 1, times: 1, paths: '/artist', retryAfterSeconds: 1 } });
    expect(await examine('deezer')).toMatchObject({
      'platform.budget': expect.stringMatching(/^warning: .*rejected 1 requests/),
    });
  });

  test('missing or rejected credentials, an unknown artist and an unavailable platform are faults', async () => {
    expect(await examine('spotify', { SPOTIFY_CLIENT_SECRET: '' })).toEqual({
      'settings.SPOTIFY_CLIENT_SECRET': expect.stringContaining('fault: '),
    });
    expect(await examine('deezer', {}, '999999999')).toMatchObject({
      'platform.artist': 'fault: The platform has no artist 999999999.',
    });
    expect(await examine('deezer', { PLATFORM_URL: 'http://127.0.0.1:1' })).toEqual({
      platform: expect.stringContaining('fault: 127.0.0.1:1 cannot be reached directly'),
    });
  });

  test.each(PLATFORMS)(
    'doctor --platform reports when a long pause of %s ends, and the pause does not apply to other credentials',
    async (platform) => {
      const { redisUrl } = await useSuite();
      const settings = { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: 'pause' };
      const { simulator, cli } = onPlatform(platform, settings);
      simulator.setQuirks({
        tooManyRequests: { probability: 1, times: 1, paths: '/artist', retryAfterSeconds: 79_892 },
      });
      const pause = /^fault: The platform rejects our requests until \d{4}-\d\d-\d\dT[\d:.]+Z/;
      expect(await examine(platform, settings)).toMatchObject({ 'platform.pause': expect.stringMatching(pause) });
      // The services now know about the pause, and the platform is not called.
      simulator.requests.clear();
      expect(await examine(platform, settings)).toMatchObject({ 'platform.pause': expect.stringMatching(pause) });
      expect(simulator.requests.counts().total).toBeLessThanOrEqual(1);
      const other = platform === 'spotify' ? { SPOTIFY_CLIENT_ID: 'another' } : { REDIS_KEY_PREFIX: 'another' };
      expect(await examine(platform, { ...settings, ...other })).toMatchObject({
        'platform.artist': expect.stringMatching(/^ok/),
      });
      expect(await cli.json('platform', 'resume')).toMatchObject({ platform, paused: false });
      expect(await examine(platform, settings)).toMatchObject({ 'platform.artist': expect.stringMatching(/^ok/) });
    },
  );

  test("doctor --platform takes its requests from the services' shared budget", async () => {
    const { redisUrl, onEnd } = await useSuite();
    const redis = new Redis(redisUrl);
    onEnd(() => redis.quit());
    await examine('deezer', { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: 'doctor' });
    expect(await redis.keys('doctor:*')).toEqual(['doctor:platform-budget:deezer']);
  });
});
