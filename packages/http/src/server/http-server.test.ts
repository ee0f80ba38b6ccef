import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { httpSettings, readSettings } from '@artist-watch/runtime/settings/settings';
import { expect, test } from '@jest/globals';
import { type HttpTimeouts, startHttpServer } from './http-server.js';

const never = new AbortController().signal;

function start(listener: RequestListener, timeouts: Partial<HttpTimeouts> = {}) {
  return startHttpServer({
    port: 0,
    portSetting: 'API_PORT',
    host: '127.0.0.1',
    listener,
    stopping: never,
    timeouts: { headersMs: 10_000, requestMs: 10_000, answerMs: 10_000, keepAliveMs: 65_000, ...timeouts },
    onRefusal: () => undefined,
    onSlowReader: () => undefined,
  });
}

test('an idle connection stays open for the configured time', async () => {
  const keepAliveMs = readSettings(httpSettings, { HTTP_KEEP_ALIVE: '610s' }).HTTP_KEEP_ALIVE;
  const server = await start((_request, response) => response.end(), { keepAliveMs });
  const agent = new Agent({ keepAlive: true });
  try {
    const request = get({ host: '127.0.0.1', port: server.port, agent });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.headers['keep-alive']).toBe('timeout=610');
  } finally {
    agent.destroy();
    await server.stop(never);
  }
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('pipelined requests are handled one at a time, and their responses are sent in the same order', async () => {
  const begun: ServerResponse[] = [];
  const server = await start((request, response) => {
    begun.push(response);
    request.on('data', () => undefined);
  });
  const socket = connect(server.port, '127.0.0.1');
  const answers = buffer(socket);
  const paths = Array.from({ length: 350 }, (_, index) => `/${index}`);
  for (const path of paths) socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok`);
  try {
    for (const [index, path] of paths.entries()) {
      while (begun.length <= index) await nextTurn();
      await nextTurn();
      expect(begun).toHaveLength(index + 1);
      if (path === paths.at(-1)) begun[index]?.setHeader('Connection', 'close');
      begun[index]?.end(`answer of ${path};`);
    }
    const text = (await answers).toString();
    expect([...text.matchAll(/answer of (.*?);/g)].map(([, path]) => path)).toEqual(paths);
  } finally {
    socket.destroy();
    await server.stop(never);
  }
});

test('a connection is not read while its requests wait, and is closed if one read contains too many requests', async () => {
  const begun: IncomingMessage[] = [];
  const server = await start((request) => begun.push(request));
  const patient = connect(server.port, '127.0.0.1');
  const greedy = connect(server.port, '127.0.0.1');
  greedy.on('error', () => undefined);
  try {
    const request = `GET /${'a'.repeat(8_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
    patient.write(request.repeat(2_000));
    await once(patient, 'connect');
    while (begun.length === 0) await nextTurn();
    const [{ socket }] = begun as [IncomingMessage];
    while (!socket.isPaused()) await nextTurn();
    expect(socket.bytesRead).toBeLessThan(1_000_000);
    greedy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_500));
    await once(greedy.resume(), 'close');
    expect(patient.closed).toBe(false);
  } finally {
    patient.destroy();
    await server.stop(AbortSignal.abort());
  }
});

test.each<[why: string, listener: RequestListener, most: number]>([
  ['a connection with too many requests', () => undefined, 510],
  ["a rejected caller's connection", (_request, response) => response.writeHead(401).end(), 2],
])('parsing stops on %s, even if one read contains many more requests', async (_why, listener, most) => {
  const server = await start(listener);
  const parsed: unknown[] = [];
  const note = (message: unknown) => parsed.push(message);
  subscribe('http.server.request.start', note);
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  try {
    socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(3_600));
    await once(socket.resume(), 'close');
    expect(parsed.length).toBeLessThanOrEqual(most);
  } finally {
    unsubscribe('http.server.request.start', note);
    socket.destroy();
    await server.stop(AbortSignal.abort());
  }
});

test('a client that sends its request too slowly is disconnected within seconds, even if it keeps sending', async () => {
  const server = await start((_request, response) => response.end(), { headersMs: 200 });
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nX-Slow: ');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /);
  const sending = setInterval(() => socket.write('a'), 50);
  try {
    // Unlike a listener, `once` from node:events would reject if a late write fails.
    await new Promise((resolve) => socket.on('close', resolve));
  } finally {
    clearInterval(sending);
    socket.destroy();
    await server.stop(never);
  }
});

test('only the first pipelined request of a rejected caller gets a response, and the connection is closed', async () => {
  let begun = 0;
  const server = await start((_request, response) => {
    begun += 1;
    response.writeHead(401).end('who are you?');
  });
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  try {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(300));
    const text = (await buffer(socket)).toString();
    expect([begun, text.match(/who are you/g)?.length]).toEqual([1, 1]);
  } finally {
    socket.destroy();
    await server.stop(never);
  }
});
