import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import { Exchange } from '../exchange.js';
import { RequestBody } from './request-body.js';
import { requestRecord } from './request-record.js';

/** Posts bytes to a server that wants JSON. @returns the answer and all that was logged. */
async function post(body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; answer: string; log: string }> {
  const stream = new PassThrough();
  const log = createLogger({ service: 'api', level: 'debug', stream });
  const record = requestRecord(log, createMetrics({ service: 'api' }));
  const server = createServer((request, response) => {
    const rate = () => ({ limit: 60, remaining: 59 });
    const exchange = new Exchange(request, response, new Date(), 0, rate, () => '127.0.0.1');
    response.once('close', () => {
      record(exchange, 1);
      // What was logged is written by then, in the order in which it came.
      log.error('test.ended');
      stream.end();
    });
    new RequestBody(request, response).readJson().then(
      () => response.writeHead(204).end(),
      (error: unknown) => exchange.fail(error),
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
  ['within a secret', `{"url":"https://r.example/","secret":'${secret}'}`],
  ['right after a secret', `{"secret":"${secret}" "url":"https://r.example/"}`],
  ['within a short body', `{"secret":${secret}}`],
  ['at its end', `{"url":"https://r.example/","secret":"${secret}`],
  ['in its encoding', Buffer.concat([Buffer.from(`{"secret":"${secret}`), Buffer.of(0xff), Buffer.from('"}')])],
])('a body that is wrong %s is quoted neither in the log nor in the answer', async (_where, body) => {
  const { status, answer, log } = await post(body);
  expect([status, JSON.parse(answer).error.code]).toEqual([400, 'invalid_json']);
  expect(log).toContain('"code":"invalid_json"');
  for (const part of quoted) expect([part, `${answer}${log}`.includes(part)]).toEqual([part, false]);
});
