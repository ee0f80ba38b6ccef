import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { type PlatformSimulator, startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const simulator = await startPlatformSimulator({
  platform: 'deezer',
  seed: 'trouble',
  artists: 2,
  budget: 'unlimited',
});
suite.onEnd(() => simulator.stop());
const relay = await startRelay(simulator.url);
suite.onEnd(() => relay.close());
const start = (keyPrefix: string) =>
  startApi(suite, (env, signal) => compose(readConfig(env), signal), {
    PLATFORM_URL: relay.url,
    PLATFORM_BUDGET: '10000',
    REDIS_KEY_PREFIX: keyPrefix,
  });

const trouble: [string, number, string, (simulator: PlatformSimulator) => void][] = [
  ['sends a response that is not JSON', 502, 'upstream_error', (on) => on.setQuirks({ notJson: 1 })],
  ['returns a different track', 502, 'upstream_error', (on) => on.setQuirks({ relink: 1 })],
  ['is busy', 503, 'upstream_unavailable', (on) => on.setQuirks({ busyError: 1 })],
  ['limits our requests', 503, 'upstream_unavailable', (on) => on.setQuirks({ tooManyRequests: 1 })],
  ['returns 503', 503, 'upstream_unavailable', (on) => on.setQuirks({ serverError: 1 })],
  ['cuts the connection', 503, 'upstream_unavailable', (on) => on.setQuirks({ cutConnection: 1 })],
  ['refuses connections', 503, 'upstream_unavailable', () => relay.cut()],
  ['does not respond', 504, 'upstream_timeout', () => relay.freeze()],
];

test.each(trouble)('if the platform %s, a lookup gets a %d %s and is refunded', async (what, status, code, begin) => {
  // A rate limit response pauses every process that uses the same Redis prefix.
  const api = await start(`tools ${what}`);
  const { key } = await seedAccount(suite.pool);
  const [artist] = simulator.state.artists();
  const [release] = simulator.state.releasesOf(artist?.id ?? '');
  const [track] = simulator.state.tracksOf(release?.id ?? '');
  const call = { method: 'POST', key, body: { input: `https://www.deezer.com/track/${track?.id}` } };
  begin(simulator);
  const answer = await api.call('/v1/tools/lookup', call);
  simulator.setQuirks({});
  relay.restore();
  expect(answer).toMatchObject({ status, body: { error: { code } } });
  if (status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|\n\s+at /);
  expect((await api.call('/v1/tools', { key })).body.allowance).toMatchObject({ used: 0, remaining: 1_000 });
  await api.stop();
});
