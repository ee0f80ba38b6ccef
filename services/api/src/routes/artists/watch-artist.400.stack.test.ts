import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const { key } = await seedAccount(suite.pool);
const watch = (body: unknown, headers: Record<string, string> = {}) =>
  api.call('/v1/artists', { method: 'POST', key, body, headers });

describe('requests to watch an artist', () => {
  test.each([
    [{}, 'either "platform_id" or "url"'],
    [{ platform_id: '1', url: 'https://www.deezer.com/artist/1' }, 'either "platform_id" or "url"'],
    [{ platform_id: 1 }, 'platform_id must be a string'],
    [{ platform_id: '' }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: 'a b' }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: '27\u0000' }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: '27\n' }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: '-1' }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: '1'.repeat(21) }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: '4tZwfgrHOc3mvqYlEYSvVi' }, '"platform_id" must be 1 to 20 digits'],
    [{ platform_id: '1', artist: 1 }, 'artist is an unknown field'],
    [[], 'must be an object'],
    [null, 'must be an object'],
    ['"text"', 'must be an object'],
    ['{"platform_id":"1","__proto__":{"x":1}}', '__proto__ is an unknown field'],
  ])('the body %j is rejected as invalid_input: %s', async (body, message) => {
    const answer = await watch(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(answer.body.error.message).toContain(message);
  });

  test.each([
    'https://open.spotify.com/artist/4tZwfgrHOc3mvqYlEYSvVi',
    'https://www.deezer.com/album/302127',
    'https://www.deezer.com/artist/abc',
    'https://deezer.com.evil.example/artist/1',
    'artist',
    '',
  ])('the URL %j is rejected as unsupported_url', async (url) => {
    expect(await watch({ url })).toMatchObject({ status: 400, body: { error: { code: 'unsupported_url' } } });
  });
});

test('if there is no egress proxy, a short link is rejected', async () => {
  const answer = await watch({ url: 'https://link.deezer.com/s/34q4AVpwJOJYCStpiK2YD' });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'unsupported_url' } } });
  expect(answer.body.error.message).toContain('Short links are not supported here');
});

test('an installation for Spotify accepts only Spotify ids', async () => {
  const settings = { PLATFORM: 'spotify', SPOTIFY_CLIENT_ID: 'id', SPOTIFY_CLIENT_SECRET: 'secret' };
  const spotify = await startApi(suite, (env, signal) => compose(readConfig(env), signal), settings);
  const { status, body } = await spotify.call('/v1/artists', { method: 'POST', key, body: { platform_id: '27' } });
  expect([status, body.error]).toEqual([
    400,
    {
      code: 'invalid_input',
      message: expect.stringContaining('"platform_id" must be 22 letters and digits'),
      errors: [{ param: 'platform_id', message: body.error.message }],
    },
  ]);
  const platformId = '4tZwfgrHOc3mvqYlEYSvVi';
  const taken = await spotify.call('/v1/artists', { method: 'POST', key, body: { platform_id: platformId } });
  expect(taken).toMatchObject({ status: 201, body: { platform_id: platformId } });
});

describe('request bodies', () => {
  test.each([
    ['truncated', '{"platform_id":'],
    ['empty', ''],
    ['two documents', '{}{}'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a byte order mark in the middle', '{"platform_id":\ufeff"1"}'],
    ['single quotes', "{'platform_id':'1'}"],
    ['NaN', '{"platform_id":NaN}'],
  ])('a body is rejected as invalid_json: %s', async (_, body) => {
    expect(await watch(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } });
  });

  test('a body over 16 KiB is rejected as payload_too_large, and the next request succeeds', async () => {
    const fits = JSON.stringify({ platform_id: 'x'.repeat(16 * 1024 - 18) });
    expect(Buffer.byteLength(fits)).toBe(16 * 1024);
    expect((await watch(fits)).status).toBe(400);
    expect(await watch(`${fits} `)).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
    expect((await watch(`${fits} `, { 'Transfer-Encoding': 'chunked' })).status).toBe(413);
    expect((await api.call('/v1/usage', { key })).status).toBe(200);
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/jsonp', {}],
    ['application/json', { 'Content-Encoding': 'gzip' }],
    ['application/json', { 'Transfer-Encoding': 'gzip, chunked' }],
  ])('a body sent as %s %j is rejected as unsupported_media_type', async (type, headers) => {
    expect(await watch('{}', { 'Content-Type': type, ...headers })).toMatchObject({
      status: 415,
      body: { error: { code: 'unsupported_media_type' } },
    });
  });

  test.each([
    'application/json;charset=utf-8',
    'Application/JSON; Charset="UTF-8"',
    'application/json; charset=utf-16',
    'application/json; profile="x"',
  ])('a body sent as %s is accepted, because the JSON media type has no parameters', async (type) => {
    expect((await watch('{"platform_id":"77"}', { 'Content-Type': type })).status).toBeLessThan(300);
  });
});
