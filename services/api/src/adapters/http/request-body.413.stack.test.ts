import { once } from 'node:events';
import { connect } from 'node:net';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const { key } = await seedAccount(suite.pool);

const head = `POST /v1/artists HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;

test.each([
  ['declares its length in advance', `${head}Content-Length: 9999999\r\n\r\n{"a":`],
  ['is sent in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n8000\r\n${'a'.repeat(0x8000)}\r\n`],
])(
  'a body over 16 KiB that %s and never ends is rejected immediately, and the connection is closed',
  async (_how, bytes) => {
    const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    const [first] = (await once(socket, 'data')) as [Buffer];
    const answer = first.toString('latin1');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/X-RateLimit-Remaining: \d+/i);
    expect(answer).toMatch(/X-RateLimit-Reset: \d+/i);
    expect(answer).toContain('payload_too_large');
    await closed;
  },
);

test.each([
  ['artists', 'text/plain', '27', 415, /as JSON, with "Content-Type: application\/json"\.$/],
  ['artists/bulk', 'text/plain', '27', 415, /as JSON, .*, or as CSV, with "text\/csv"\.$/],
  ['artists', 'application/json', '', 400, /is empty\. Send JSON/],
])(
  'the error message explains which body POST /v1/%s accepts (sent: %s %j)',
  async (path, type, body, status, words) => {
    const answer = await api.call(`/v1/${path}`, { method: 'POST', key, body, headers: { 'Content-Type': type } });
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toMatch(words);
  },
);
