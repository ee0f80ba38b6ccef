import { type AddressInfo, createServer } from 'node:net';
import { compose } from '@artist-watch/api/compose';
import { readConfig } from '@artist-watch/api/config';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createTestCli } from './run-cli.js';

const suite = await useSuite();
const { pool } = suite;
const { port } = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const API_URL = `http://127.0.0.1:${port}/v1`;

/** Nothing listens on this port. */
const closedUrl = await new Promise<string>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: closed } = server.address() as AddressInfo;
    server.close(() => resolve(`http://127.0.0.1:${closed}/v1`));
  });
});

/** A customer has only an API key. */
const cliOf = (key: string) => createTestCli({ API_URL, API_KEY: key });

describe('with only an API key', () => {
  test('api changes prints every page, newest first, or only the newest N', async () => {
    const { accountId, key } = await seedAccount(pool);
    const artistId = await seedWatchedArtist(pool, accountId);
    const now = Date.now();
    const ids = await seedFeed(
      pool,
      accountId,
      artistId,
      Array.from({ length: 450 }, (_, n) => new Date(now - n * 60_000 - 1_000)),
    );
    const cli = cliOf(key);
    const idsOf = async (...options: string[]) => {
      const { data, next_cursor } = await cli.json<{ data: { id: string }[]; next_cursor: null }>(
        ...['api', 'changes', ...options],
      );
      expect(next_cursor).toBeNull();
      return data.map(({ id }) => id);
    };
    expect(await idsOf()).toEqual(ids);
    expect(await idsOf('--limit', '201')).toEqual(ids.slice(0, 201));
    expect(await idsOf('--since', new Date(now - 10 * 60_000).toISOString())).toEqual(ids.slice(0, 10));
    const { stdout } = await cli.run('api', 'changes', '--limit', '2');
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  test('api watch and api unwatch change what api artists prints', async () => {
    const cli = cliOf((await seedAccount(pool)).key);
    const byId = await cli.json('api', 'watch', '--platform-id', '27');
    const byUrl = await cli.json('api', 'watch', '--artist-url', 'https://www.deezer.com/artist/28');
    expect([byId.platform_id, byUrl.platform_id]).toEqual(['27', '28']);
    expect(await cli.json('api', 'artists')).toEqual({ data: [byId, byUrl], next_cursor: null });
    const id = String(byId.id);
    expect(await cli.json('api', 'unwatch', '--id', id)).toEqual({ id, watched: false });
    expect(await cli.json('api', 'usage')).toMatchObject({ plan: 'business', artists: { used: 1, limit: 500 } });
  });

  test('api tools prints the daily allowance', async () => {
    const cli = cliOf((await seedAccount(pool)).key);
    expect(await cli.json('api', 'tools')).toMatchObject({ allowance: { limit: 1_000, used: 0, remaining: 1_000 } });
  });

  test('--url and --key override the settings', async () => {
    const cli = createTestCli({ API_URL: 'http://127.0.0.1:1/v1', API_KEY: 'aw_live_x' });
    const { key } = await seedAccount(pool, 'pro');
    expect(await cli.json('api', 'usage', '--url', API_URL, '--key', key)).toMatchObject({ plan: 'pro' });
  });

  test('the CLI waits for a rate limit to end if it ends soon', async () => {
    const { accountId, key } = await seedAccount(pool, 'free');
    const redis = new Redis(suite.redisUrl);
    await redis.set(`artist-watch:requests:${accountId}`, 60, 'PX', 900);
    await redis.quit();
    expect(await cliOf(key).json('api', 'usage')).toMatchObject({ plan: 'free' });
  });
});

describe('a rejection by the API is one sentence on stderr, with nothing on stdout', () => {
  test.each([
    [
      ['api', 'usage', '--key', 'aw_live_x'],
      /^This API key is unknown or was revoked\. \(401 unauthorized, request [0-9a-f-]{36}\)\n$/,
    ],
    [['api', 'lookup', '--input', 'nonsense'], /\(400 unsupported_url, request .*\)\n$/],
    [['api', 'reverse', '--isrc', 'nonsense'], /\(400 invalid_isrc, request .*\)\n$/],
    [['api', 'changes', '--key', 'aw_live_x', '--json'], /\(401 unauthorized, request .*\)\n$/],
    [['api', 'changes', '--since', 'yesterday'], /RFC 3339/],
    [['api', 'unwatch', '--id', 'art_0'], /\(404 not_found, request .*\)\n$/],
    [['api', 'watch'], 'Name the artist with either --platform-id or --artist-url.\n'],
    [['api', 'lookup'], "Required option '--input <url>' not specified.\n"],
    [['api', 'usage', '--url', closedUrl], /^The API at 127\.0\.0\.1:\d+ cannot be reached: connection refused\.\n$/],
    [['api', 'usage', '--url', 'http://127.0.0.1:1/v1'], 'The API at 127.0.0.1:1 cannot be reached: bad port.\n'],
    [['api', 'usage', '--url', 'nowhere'], 'Invalid settings: API_URL "nowhere" is not an http:// or https:// URL.\n'],
  ])('%j', async (args, sentence) => {
    const cli = cliOf((await seedAccount(pool)).key);
    if (typeof sentence === 'string') expect(await cli.refusal(...args)).toBe(sentence);
    else expect(await cli.refusal(...args)).toMatch(sentence);
  });

  test('a missing API key is reported in one sentence', async () => {
    expect(await createTestCli({ API_URL }).refusal('api', 'usage')).toBe('Invalid settings: API_KEY is missing.\n');
  });
});
