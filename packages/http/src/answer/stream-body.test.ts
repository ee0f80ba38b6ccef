import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { cutSlowReaders } from '../server/http-server.js';
import { begun, streamBody } from './answer.js';

const CHUNK = Buffer.alloc(64 * 1024, 'a');

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function open(port: number): Promise<IncomingMessage> {
  const request = get({ host: '127.0.0.1', port, agent: false });
  request.on('error', () => undefined);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

/** Waits for `taken` before failing, because Node's HTTP client treats a reset with unread bytes as a normal end. */
async function* failingAfter(chunks: number, taken?: Promise<unknown>): AsyncGenerator<Uint8Array> {
  for (let made = 0; made < chunks; made += 1) yield CHUNK;
  await taken;
  throw new Error('a fault');
}

test('after an error in the middle of a body, HTTP/1.1 clients get an incomplete body, and HTTP/1.0 connections are reset', async () => {
  const faults: unknown[] = [];
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const { port } = await serve((request, response) => {
    const chunks = failingAfter(3, request.httpVersion === '1.0' ? taken : undefined);
    streamBody(response.writeHead(200), chunks).catch((error: unknown) => faults.push(error));
  });
  const broken = new Promise((resolve) => {
    // If the reset arrives before the response headers, the request itself fails.
    const request = get({ host: '127.0.0.1', port, agent: false });
    request.on('error', resolve).on('response', (answer) => answer.on('error', resolve).resume());
  });
  expect(await broken).toMatchObject({ code: 'ECONNRESET' });

  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
  let received = 0;
  socket.on('data', (bytes) => {
    received += bytes.length;
    if (received > 3 * CHUNK.length) take();
  });
  const ending = new Promise((resolve) => socket.on('error', resolve).on('end', resolve));
  expect(await ending).toMatchObject({ code: 'ECONNRESET' });
  expect(faults).toHaveLength(2);
});

test('an error before the first chunks is thrown; after the client disconnects, no more chunks are generated', async () => {
  await expect(begun(failingAfter(1), 2)).rejects.toThrow('a fault');
  let made = 0;
  let isOver = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; ; made += 1) yield CHUNK;
    } finally {
      isOver = true;
    }
  }
  await (await begun(endless(), 2)).return(undefined);
  expect(isOver).toBe(true);
  isOver = false;
  const { port } = await serve(async (_request, response) => {
    await streamBody(response.writeHead(200), await begun(endless(), 2));
  });
  const answer = await open(port);
  await once(answer, 'readable');
  answer.destroy();
  while (!isOver) await new Promise(setImmediate);
  const madeAtLeave = made;
  await new Promise(setImmediate);
  expect(made).toBe(madeAtLeave);
});

test('a slow client is disconnected only when it stops reading', async () => {
  let nowMs = 0;
  let cuts = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (true) {
      nowMs += 40;
      yield CHUNK;
    }
  }
  const { server, port } = await serve((_request, response) => {
    streamBody(response.writeHead(200), chunks()).catch(() => undefined);
  });
  const endCuts = cutSlowReaders(server, {
    ...{ patienceMs: 50, checkIntervalMs: 1 },
    monotonicMs: () => nowMs,
    onCut: () => {
      cuts += 1;
    },
  });
  endings.push(endCuts);
  const answer = await open(port);
  answer.on('error', () => undefined);
  for await (const _ of answer.iterator({ destroyOnReturn: false })) if (nowMs > 10_000) break;
  expect(cuts).toBe(0);
  answer.pause();
  const closed = new Promise((resolve) => answer.once('close', resolve));
  let seenMs = -1;
  while (seenMs !== nowMs) {
    seenMs = nowMs;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  nowMs += 60;
  while (cuts === 0) await new Promise(setImmediate);
  answer.resume();
  await closed;
});

test('a client that reads too slowly is disconnected, even if it reads regularly, and a faster client gets the whole body', async () => {
  const endless = async function* () {
    for (;;) yield CHUNK;
  };
  const faults: unknown[] = [];
  const { port } = await serve((request, response) => {
    const isShort = request.url === '/short';
    const chunks = isShort
      ? (async function* () {
          for (let made = 0; made < 200; made += 1) yield CHUNK;
        })()
      : endless();
    // Every client in this test reads faster than 1 KiB/s, and none reaches 100 GiB/s.
    const minBytesPerSecond = isShort ? 1_024 : 100 * 1024 * 1024 * 1024;
    streamBody(response.writeHead(200), chunks, { graceMs: 300, minBytesPerSecond }).catch((error: unknown) =>
      faults.push(error),
    );
  });
  const slow = await open(port);
  slow.on('error', () => undefined);
  const reading = setInterval(() => slow.read(1_024), 20);
  await new Promise((resolve) => slow.once('close', resolve));
  clearInterval(reading);
  expect(faults).toMatchObject([{ name: 'TooSlow' }]);

  const request = get({ host: '127.0.0.1', port, path: '/short', agent: false });
  const [fast] = (await once(request, 'response')) as [IncomingMessage];
  let read = 0;
  for await (const chunk of fast) read += (chunk as Buffer).length;
  expect(read).toBe(200 * CHUNK.length);
});
