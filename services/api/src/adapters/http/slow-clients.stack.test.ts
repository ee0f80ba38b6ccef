import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const start = (settings: Record<string, string>) =>
  startApi(suite, (env, signal) => compose(readConfig(env), signal), settings);
const { key } = await seedAccount(pool);
const authorization = `Authorization: Bearer ${key}\r\n`;

async function sendAndWait(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  socket.on('error', () => undefined);
  return (await buffer(socket)).toString('latin1');
}

function errorCodeOf(answer: string): string {
  return errorBodySchema.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).error.code;
}

describe('incomplete requests', () => {
  test('a request with incomplete headers gets a 408 error response without rate limit headers', async () => {
    const api = await start({ API_HEADERS_TIMEOUT: '300ms' });
    const answer = await sendAndWait(api.port, 'GET /v1/usage HTTP/1.1\r\nHost: a\r\nX-Slow');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).not.toMatch(/x-ratelimit/i);
    expect(errorCodeOf(answer)).toBe('request_timeout');
  });

  test('a request with an incomplete body gets a 408 error response with rate limit headers and its request id', async () => {
    const api = await start({ API_REQUEST_TIMEOUT: '300ms' });
    const answer = await sendAndWait(
      api.port,
      `POST /v1/artists HTTP/1.1\r\nHost: a\r\n${authorization}X-Request-Id: slow-1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 408']);
    expect(answer).toMatch(/x-ratelimit-limit: 60000\r\n/i);
    expect(answer).toMatch(/x-ratelimit-remaining: \d+\r\n/i);
    expect(answer).toMatch(/x-request-id: slow-1\r\n/i);
    expect(answer).toMatch(/connection: close\r\n/i);
    expect(errorCodeOf(answer)).toBe('request_timeout');
  });

  test('an incomplete request that was already rejected gets no second response', async () => {
    const api = await start({ API_REQUEST_TIMEOUT: '300ms' });
    const answer = await sendAndWait(api.port, 'POST /v1/artists HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
  });

  test('an incomplete request does not use up its Idempotency-Key', async () => {
    const api = await start({ API_REQUEST_TIMEOUT: '300ms' });
    const headers = { 'Idempotency-Key': 'slow' };
    await sendAndWait(
      api.port,
      `POST /v1/artists HTTP/1.1\r\nHost: a\r\n${authorization}Idempotency-Key: slow\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    const call = { method: 'POST', key, headers, body: { platform_id: '27' } };
    expect((await api.call('/v1/artists', call)).status).toBe(201);
  });
});

describe('clients that stop reading', () => {
  test('a client that stops reading is disconnected, and other requests are not affected', async () => {
    const account = await seedAccount(pool);
    const artistId = await seedWatchedArtist(pool, account.accountId);
    const now = Date.now();
    await seedFeed(
      pool,
      account.accountId,
      artistId,
      Array.from({ length: 200 }, (_, n) => new Date(now - n * 1_000)),
    );
    const api = await start({ API_ANSWER_TIMEOUT: '300ms' });
    const request = `GET /v1/changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.key}\r\n\r\n`;
    const socket: Socket = connect(api.port, '127.0.0.1', () => socket.pause().write(request.repeat(400)));
    socket.on('error', () => undefined);
    await until('the cut', async () => {
      expect((await api.call('/v1/usage', account)).status).toBe(200);
      const metrics = await (await fetch(`${api.opsUrl}/metrics`, { headers: { Connection: 'close' } })).text();
      return /^artist_watch_api_slow_readers_cut_total\S* 1$/m.test(metrics);
    });
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
  });

  test('a client that resumes reading in time gets all responses', async () => {
    const api = await start({ API_ANSWER_TIMEOUT: '60s' });
    const request = `GET /v1/usage HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`;
    const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const socket: Socket = connect(api.port, '127.0.0.1', () => socket.pause().write(request.repeat(50) + last));
    await once(socket, 'connect');
    const answers = (await buffer(socket)).toString('latin1').match(/HTTP\/1\.1 \d+/g);
    expect(answers).toEqual(Array.from({ length: 51 }, () => 'HTTP/1.1 200'));
  });
});
