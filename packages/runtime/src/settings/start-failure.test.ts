import { createServer } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { explainStartFailure, listen, maskCredentials, reach } from './start-failure.js';

describe('the description of a start failure', () => {
  const blocker = createServer();
  afterAll(() => {
    blocker.close();
  });

  test('the message about a port that is in use names its setting', async () => {
    const port = await listen(blocker, { port: 0, host: '127.0.0.1', setting: 'API_PORT' });
    await expect(listen(createServer(), { port, host: '127.0.0.1', setting: 'API_PORT' })).rejects.toThrow(
      `Port ${port} (API_PORT) is already in use.`,
    );
  });

  test('the message names no setting if a library failed to open the port', () => {
    const error = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', port: 8080, address: '::' });
    expect(explainStartFailure(error)).toEqual({ sentence: 'Port 8080 is already in use.', known: true });
  });

  test('the message names the host of a database that refuses connections, but never the password', async () => {
    const closed = createServer();
    const port = await listen(closed, { port: 0, host: '127.0.0.1', setting: 'X' });
    await new Promise((resolve) => closed.close(resolve));
    const url = `postgres://user:hunter2@127.0.0.1:${port}/db`;
    const check = () => fetch(`http://127.0.0.1:${port}/`);
    await expect(reach({ what: 'PostgreSQL', setting: 'DATABASE_URL', url }, check)).rejects.toThrow(
      `PostgreSQL at 127.0.0.1:${port} (DATABASE_URL) cannot be reached: connection refused.`,
    );
  });

  test('the message names a dependency that never responds', async () => {
    const check = () => new Promise(() => undefined);
    await expect(
      reach({ what: 'Redis', setting: 'REDIS_URL', url: 'redis://cache:6379', timeoutMs: 5 }, check),
    ).rejects.toThrow('Redis at cache:6379 (REDIS_URL) cannot be reached: no response.');
  });

  test.each([
    [{ code: '28P01' }, 'the user or password is wrong'],
    [{ code: '3D000' }, 'the database does not exist'],
    [{ cause: { originalCode: '57P03' } }, 'the server is still starting'],
    [{ errors: [{ code: 'ECONNREFUSED' }] }, 'connection refused'],
    [{ code: 'ENOTFOUND' }, 'the host name is unknown'],
  ])('the message explains the driver error %j', async (fields, words) => {
    const check = async () => {
      throw Object.assign(new Error('driver text'), fields);
    };
    await expect(reach({ what: 'PostgreSQL', setting: 'DATABASE_URL', url: 'postgres://db' }, check)).rejects.toThrow(
      `PostgreSQL at db (DATABASE_URL) cannot be reached: ${words}.`,
    );
  });

  test('a Redis error is explained based on the first word of its message', async () => {
    const check = async () => {
      throw new Error('WRONGPASS invalid username-password pair or user is disabled.');
    };
    await expect(reach({ what: 'Redis', setting: 'REDIS_URL', url: 'redis://c:1' }, check)).rejects.toThrow(
      'Redis at c:1 (REDIS_URL) cannot be reached: the user or password is wrong.',
    );
  });

  test('an unexpected error is marked, so that its stack is printed', () => {
    expect(explainStartFailure(new TypeError('x is not a function')).known).toBe(false);
  });
});

test.each([
  ['not a URL: a@b.example', 'not a URL: a@b.example'],
  ['connect to http://proxy:3128/path failed', 'connect to http://proxy:3128/path failed'],
  ['connect to http://user:hunter2@proxy:3128 failed', 'connect to http://***@proxy:3128 failed'],
  ['postgres://user:hunt/er2@db:5432/name', 'postgres://***@db:5432/name'],
  ['redis://:hunt@er/2@redis:6379', 'redis://***@redis:6379'],
  ['"redis+cluster://:hunter2@a:1", "http://b"', '"redis+cluster://***@a:1", "http://b"'],
  ['http://u:hunter2@a and http://u:hunter2@b', 'http://***@a and http://***@b'],
  ['postgres://db/name?sslpassword=hunter2&sslmode=require', 'postgres://db/name?sslpassword=***&sslmode=require'],
])('credentials in a text are masked: %s', (text, masked) => {
  expect(maskCredentials(text)).toBe(masked);
});
