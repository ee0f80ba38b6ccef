import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'wrong', artists: 2, budget: 'unlimited' });
suite.onEnd(() => simulator.stop());
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal), {
  PLATFORM_URL: simulator.url,
  PLATFORM_BUDGET: '10000',
});
const { key } = await seedAccount(suite.pool);
const post = (tool: string, body: unknown) => api.call(`/v1/tools/${tool}`, { method: 'POST', key, body });
const used = async (): Promise<number> => (await api.call('/v1/tools', { key })).body.allowance.used;
const asked = () => simulator.requests.counts().total;

describe('lookups with invalid input use no allowance and cause no platform request', () => {
  test.each([
    ['lookup', { input: 'https://open.spotify.com/track/4cOdK2wGLETKBW3PvgPWqT' }, 'unsupported_url'],
    ['lookup', { input: 'https://www.deezer.com/album/302127' }, 'unsupported_url'],
    ['lookup', { input: 'https://www.deezer.com/track/abc' }, 'unsupported_url'],
    ['lookup', { input: 'https://deezer.com.evil.example/track/1' }, 'unsupported_url'],
    ['lookup', { input: 'https://link.deezer.com.evil.example/s/abc' }, 'unsupported_url'],
    ['lookup', { input: 'https://user@link.deezer.com/s/abc' }, 'unsupported_url'],
    ['lookup', { input: 'https://link.deezer.com:8443/s/abc' }, 'unsupported_url'],
    ['lookup', { input: 'https://spotify.link/abc' }, 'unsupported_url'],
    // No egress proxy is configured, so short links are rejected.
    ['lookup', { input: 'https://link.deezer.com/s/abc' }, 'unsupported_url'],
    ['lookup', { input: '' }, 'unsupported_url'],
    ['lookup', {}, 'invalid_input'],
    ['lookup', { input: 5 }, 'invalid_input'],
    ['lookup', { input: 'x', more: 1 }, 'invalid_input'],
    ['lookup', '{"input":', 'invalid_json'],
    ['reverse', { isrc: 'USRC1760783' }, 'invalid_isrc'],
    ['reverse', { isrc: '' }, 'invalid_isrc'],
    ['reverse', { isrc: 'ÜSRC17607839' }, 'invalid_isrc'],
    ['reverse', { isrc: null }, 'invalid_input'],
  ])('%s with %j is %s', async (tool, body, code) => {
    const before = asked();
    expect(await post(tool, body)).toMatchObject({ status: 400, body: { error: { code } } });
    expect(asked()).toBe(before);
    expect(await used()).toBe(0);
  });
});

test('a lookup of a track that the platform does not have returns track_not_found and uses one call', async () => {
  const { key: own } = await seedAccount(suite.pool);
  const answer = await api.call('/v1/tools/lookup', {
    method: 'POST',
    key: own,
    body: { input: 'https://www.deezer.com/track/99999999' },
  });
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'track_not_found' } } });
  const reverse = await api.call('/v1/tools/reverse', { method: 'POST', key: own, body: { isrc: 'ZZZZZ0000000' } });
  expect(reverse).toMatchObject({ status: 404, body: { error: { code: 'track_not_found' } } });
  expect((await api.call('/v1/tools', { key: own })).body.allowance.used).toBe(2);
});
