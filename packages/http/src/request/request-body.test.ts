import { once } from 'node:events';
import { Agent, createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createLogger } from '@artist-watch/observability/logger';
import { expect, test } from '@jest/globals';
import { RequestContext } from '../request-context.js';
import { requestRecord } from '../request-record.js';
import { bodyReader } from './request-body.js';

const bodyOf = bodyReader({ maxBytes: 16_384, maxText: '16 KiB', inflate: false });

async function post(body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; answer: string; log: string }> {
  const stream = new PassThrough();
  const log = createLogger({ service: 'api', level: 'debug', stream });
  const record = requestRecord(log, () => undefined);
  const server = createServer((request, response) => {
    const context = new RequestContext(request, response);
    response.once('close', () => {
      record(context, 1);
      // Logging an error also flushes all pending log lines.
      log.error('test.ended');
      stream.end();
    });
    bodyOf(request, response)
      .readJson()
      .then(
        () => response.writeHead(204).end(),
        (error: unknown) => context.fail(error),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const answered = await fetch(`http://127.0.0.1:${port}/v1/destinations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body,
    });
    return { status: answered.status, answer: await answered.text(), log: await text(stream) };
  } finally {
    server.close();
  }
}

const secret = 'hunter2hunter2xx';
const quoted = ['hunter', 'unter2', 'r2hunt', 'r2xx', '"url"', '"secret"', 'r.example'];

test.each([
  ['with an error inside a secret', `{"url":"https://r.example/","secret":'${secret}'}`],
  ['with an error right after a secret', `{"secret":"${secret}" "url":"https://r.example/"}`],
  ['that is short', `{"secret":${secret}}`],
  ['with an error at the end', `{"url":"https://r.example/","secret":"${secret}`],
  [
    'with an error in the encoding',
    Buffer.concat([Buffer.from(`{"secret":"${secret}`), Buffer.of(0xff), Buffer.from('"}')]),
  ],
])('an invalid body %s is quoted neither in the log nor in the response', async (_where, body) => {
  const { status, answer, log } = await post(body);
  expect([status, JSON.parse(answer).error.code]).toEqual([400, 'invalid_json']);
  expect(log).toContain('"code":"invalid_json"');
  for (const part of quoted) expect([part, `${answer}${log}`.includes(part)]).toEqual([part, false]);
});

test.each([
  ['a body that cannot be decompressed', Buffer.alloc(1_000_000, '{}'), 400],
  ['a body that is too large once decompressed', gzipSync(Buffer.alloc(5_000_000, ' ')), 413],
])('after %s, the connection serves the next request', async (_why, packed, status) => {
  const unpacked = bodyReader({ maxBytes: 2_000_000, maxText: '2 MB', inflate: true });
  const server = createServer((request, response) => {
    unpacked(request, response)
      .readJson()
      .then(
        () => response.writeHead(204).end(),
        (error: { code: string }) => response.writeHead(error.code === 'payload_too_large' ? 413 : 400).end(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = async (body: Uint8Array, headers: Record<string, string>) => {
    const { port } = server.address() as AddressInfo;
    const sent = requestOf({
      port,
      agent,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    sent.end(body);
    const [answered] = await once(sent, 'response');
    answered.resume();
    await once(answered, 'end');
    return [answered.statusCode, sent.reusedSocket];
  };
  try {
    expect(await post(packed, { 'Content-Encoding': 'gzip' })).toEqual([status, false]);
    expect(await post(Buffer.from('{}'), {})).toEqual([204, true]);
  } finally {
    agent.destroy();
    server.close();
  }
});
