import { connect } from 'node:net';
import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const { key } = await seedAccount(suite.pool);

function exchange(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', reject);
  });
}

function parsed(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}

describe('invalid requests', () => {
  test.each([
    ['an unknown method', 'FOO /v1/usage HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['bytes that are not HTTP', '\x16\x03\x01\x02\x00', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n', 400],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['a URL over 16 KiB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['CONNECT to a public page', 'CONNECT /docs HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ])('an invalid request gets an error response, and the connection is closed: %s', async (_, bytes, status) => {
    const answer = parsed(await exchange(bytes));
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.connection).toBe('close');
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.body));
    errorBodySchema.parse(JSON.parse(answer.body));
  });

  test('an invalid request does not affect other requests', async () => {
    await exchange('FOO\r\n\r\n');
    expect((await api.call('/v1/usage', { key })).status).toBe(200);
  });
});

describe('malformed bytes on a connection', () => {
  const head = `POST /v1/artists HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;

  test('malformed bytes in a request body are rejected, with rate limit headers on the error response', async () => {
    const answer = parsed(await exchange(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`));
    expect(answer.status).toBe(400);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '60000', connection: 'close' });
    expect(errorBodySchema.parse(JSON.parse(answer.body)).error.code).toBe('invalid_input');
  });

  test('malformed bytes do not prevent the response to an earlier request', async () => {
    const answer = await exchange(
      `GET /v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\nFOO\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(parsed(answer).headers.connection).toBe('close');
  });
});

describe('CONNECT', () => {
  const connectTo = (headers = '') =>
    exchange(`CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n${headers}\r\n`).then(parsed);

  test('CONNECT without a key is rejected like every other request', async () => {
    const answer = await connectTo();
    expect(answer.status).toBe(401);
    expect(answer.headers).toMatchObject({
      'x-ratelimit-limit': '60',
      'www-authenticate': 'Bearer realm="artist-watch"',
      connection: 'close',
    });
    expect(errorBodySchema.parse(JSON.parse(answer.body)).error.code).toBe('unauthorized');
  });

  test('CONNECT gets a 405 and counts against the rate limit', async () => {
    const free = await seedAccount(suite.pool, 'free');
    const authorization = `Authorization: Bearer ${free.key}\r\n`;
    const answer = await connectTo(authorization);
    expect(answer.status).toBe(405);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-remaining': '59', allow: 'GET, HEAD, POST, PATCH, DELETE' });
    await Promise.all(Array.from({ length: 59 }, () => api.call('/v1/usage', free)));
    expect((await connectTo(authorization)).status).toBe(429);
  });

  test('CONNECT does not affect other requests if the client disconnects', async () => {
    const socket = connect(api.port, '127.0.0.1', () => {
      socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy());
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect((await api.call('/v1/usage', { key })).status).toBe(200);
  });
});

describe('request headers', () => {
  test('a request without a Host header gets a 400 error response', async () => {
    const answer = parsed(await exchange('GET /v1/usage HTTP/1.1\r\nConnection: close\r\n\r\n'));
    expect(answer.status).toBe(400);
    expect(errorBodySchema.parse(JSON.parse(answer.body)).error.code).toBe('invalid_input');
    expect(answer.headers['x-ratelimit-limit']).toBe('60');
  });

  test.each([
    ['Host', 'Host: a\r\nHost: b\r\n'],
    ['Authorization', `Host: a\r\nAuthorization: Bearer ${key}\r\nauthorization: Bearer x\r\n`],
  ])('a request with two %s headers gets a 400', async (_, headers) => {
    const answer = parsed(await exchange(`GET /v1/usage HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`));
    expect(answer.status).toBe(400);
    expect(errorBodySchema.parse(JSON.parse(answer.body)).error.code).toBe('invalid_input');
  });

  test('a request is accepted even if 1,300 other headers come before the API key', async () => {
    const others = Array.from({ length: 1_300 }, (_, n) => `X${n}: a\r\n`).join('');
    const head = `GET /v1/usage HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${others}`;
    expect(parsed(await exchange(`${head}Authorization: Bearer ${key}\r\n\r\n`)).status).toBe(200);
  });

  test('an HTTP/1.0 request needs no Host header', async () => {
    expect(parsed(await exchange(`GET /v1/usage HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`)).status).toBe(200);
  });

  test('a request with an Upgrade or Expect header is processed as usual', async () => {
    const head = `GET /v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
    expect(parsed(await exchange(`${head}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`)).status).toBe(200);
    expect(parsed(await exchange(`${head}Connection: close\r\nExpect: miracles\r\n\r\n`)).status).toBe(200);
  });

  test('a request can be rejected before the client sends the body', async () => {
    const answer = parsed(
      await exchange(
        'POST /v1/usage HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
      ),
    );
    expect(answer.status).toBe(401);
  });
});
