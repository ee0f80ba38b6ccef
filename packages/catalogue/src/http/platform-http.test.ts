import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RequestBudget } from '../budget/request-budget.js';
import { PlatformHttp, type PlatformHttpOptions, type RequestFact } from './platform-http.js';

const never = new AbortController().signal;
const clock = { now: () => new Date('2026-03-14T12:00:00Z') };
const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

class CountingBudget implements RequestBudget {
  taken = 0;
  readonly penaltiesMs: number[] = [];
  async take(requests: number): Promise<void> {
    this.taken += requests;
  }
  async penalise(retryAfterMs: number): Promise<void> {
    this.penaltiesMs.push(retryAfterMs);
  }
}

interface Client {
  readonly budget: CountingBudget;
  readonly facts: RequestFact[];
  read(signal?: AbortSignal): Promise<unknown>;
}

function clientOf(baseUrl: string, options: Partial<PlatformHttpOptions> = {}): Client {
  const budget = new CountingBudget();
  const facts: RequestFact[] = [];
  const http = new PlatformHttp({
    baseUrl,
    budget,
    clock,
    retryDelaysMs: [0, 0],
    onRequest: (fact) => facts.push(fact),
    ...options,
  });
  stops.push(() => http.close());
  return {
    budget,
    facts,
    read: (signal = never) => http.read({ operation: 'thing', path: '/thing?a=1', signal }, (answer) => answer.body),
  };
}

async function clientOfServer(answer: RequestListener, options: Partial<PlatformHttpOptions> = {}): Promise<Client> {
  return clientOf(await listening(createServer(answer)), options);
}

describe('platform requests over HTTP', () => {
  test('requests to a platform accept JSON, send our user agent and reuse the connection', async () => {
    const ports = new Set<number | undefined>();
    const client = await clientOfServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end(JSON.stringify({ url: request.url, as: request.headers['user-agent'] }));
    });
    for (let i = 0; i < 3; i++) expect(await client.read()).toEqual({ url: '/thing?a=1', as: 'artist-watch/0.1' });
    expect(ports.size).toBe(1);
    expect(client.budget.taken).toBe(3);
  });

  test('a request is retried after a temporary error, and each attempt uses the budget and is reported', async () => {
    let asked = 0;
    const client = await clientOfServer((request, response) => {
      asked++;
      if (asked === 1) request.socket.destroy();
      else if (asked === 2) response.writeHead(502).end('<h1>Bad Gateway</h1>');
      else response.end('{"well":true}');
    });
    expect(await client.read()).toEqual({ well: true });
    expect(client.budget.taken).toBe(3);
    expect(client.facts.map((fact) => fact.outcome)).toEqual(['unavailable', 'unavailable', 'ok']);
  });

  test('a request that still fails after its last retry rejects with the error kind', async () => {
    const client = await clientOfServer((_, response) => response.writeHead(500).end());
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
    expect(client.budget.taken).toBe(3);
  });

  test('a request times out if there is no response', async () => {
    const client = await clientOfServer(() => undefined, { requestTimeoutMs: 50, retryDelaysMs: [] });
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'timeout' } });
  });

  test('a request times out if the response never ends', async () => {
    const client = await clientOfServer((_, response) => void response.writeHead(200).write('{"a":'), {
      requestTimeoutMs: 50,
      retryDelaysMs: [],
    });
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'timeout' } });
  });

  test('a 429 is a quota error that penalizes the budget, and is retried only if the pause is short', async () => {
    let retryAfter = '3600';
    let asked = 0;
    const client = await clientOfServer((_, response) => {
      asked++;
      if (asked === 3) response.end('{"well":true}');
      else response.writeHead(429, { 'Retry-After': retryAfter }).end();
    });
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'quota', retryAfterMs: 3_600_000 } });
    expect([asked, client.budget.penaltiesMs]).toEqual([1, [3_600_000]]);
    retryAfter = '1';
    expect(await client.read()).toEqual({ well: true });
    expect(client.budget.penaltiesMs).toEqual([3_600_000, 1_000]);
  });

  test('a 503 with Retry-After also penalizes the budget', async () => {
    const client = await clientOfServer((_, response) => response.writeHead(503, { 'Retry-After': '60' }).end());
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'unavailable', retryAfterMs: 60_000 } });
    expect(client.budget.penaltiesMs).toEqual([60_000]);
  });

  test.each([
    ['a redirect', 302, 'x'],
    ['a 200 response without JSON', 200, '<html>'],
    ['an empty 200 response', 200, ''],
  ])('a request fails if every attempt gets %s', async (_, status, body) => {
    let asked = 0;
    const client = await clientOfServer((_request, response) => {
      asked++;
      response.writeHead(status, { Location: '/elsewhere' }).end(body);
    });
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
    expect(asked).toBe(2);
  });

  test('a request is retried after a bad response, and succeeds if the next response is good', async () => {
    let asked = 0;
    const client = await clientOfServer((_, response) => {
      asked++;
      response.end(asked === 1 ? '{"well":tr' : '{"well":true}');
    });
    expect(await client.read()).toEqual({ well: true });
    expect(client.facts.map(({ outcome }) => outcome)).toEqual(['bad_answer', 'ok']);
  });

  test.each([
    ['plain', (body: Buffer) => body, {}],
    ['compressed', (body: Buffer) => gzipSync(body), { 'Content-Encoding': 'gzip' }],
  ])('a response that is far too large is not read to the end (%s)', async (_, encode, headers) => {
    const body = encode(Buffer.from(`"${'x'.repeat(40_000_000)}"`));
    const client = await clientOfServer((_request, response) => response.writeHead(200, headers).end(body));
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });

  test("the caller's signal aborts a request with the signal's reason, even during a retry pause", async () => {
    const client = await clientOfServer(() => undefined);
    const giveUp = new AbortController();
    const reading = client.read(giveUp.signal);
    giveUp.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');

    const pausing = await clientOfServer((_, response) => response.writeHead(500).end(), { retryDelaysMs: [600_000] });
    const stop = new AbortController();
    const waiting = pausing.read(stop.signal);
    while (pausing.facts.length === 0) await new Promise(setImmediate);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('a request fails as "unavailable" if the connection is refused', async () => {
    const gone = createServer();
    const origin = await listening(gone);
    gone.close();
    await expect(clientOf(origin).read()).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
  });
});

describe('platform requests through a proxy', () => {
  async function proxy(onConnect: (target: string, socket: Socket) => void): Promise<string> {
    const server = createServer();
    server.on('connect', (request, socket) => {
      stops.push(() => socket.destroy());
      onConnect(request.url ?? '', socket as Socket);
    });
    return listening(server);
  }

  test('requests through a proxy reuse one tunnel', async () => {
    const tunnels: string[] = [];
    const proxyUrl = await proxy((target, socket) => {
      tunnels.push(target);
      const [host = '', port] = target.split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      stops.push(() => upstream.destroy());
    });
    const origin = await listening(createServer((_, response) => response.end('{"well":true}')));
    const client = clientOf(origin, { proxyUrl });
    for (let i = 0; i < 3; i++) expect(await client.read()).toEqual({ well: true });
    expect(tunnels).toEqual([new URL(origin).host]);
  });

  test("a proxy's rejection is not treated as a platform response", async () => {
    const proxyUrl = await proxy((_, socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'));
    const client = clientOf('http://127.0.0.1:9', { proxyUrl });
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
  });

  test('the error names the proxy that cannot be reached', async () => {
    const gone = createServer();
    const proxyUrl = await listening(gone);
    gone.close();
    await expect(clientOf('http://127.0.0.1:9', { proxyUrl }).read()).rejects.toThrow(
      `ECONNREFUSED through the proxy ${new URL(proxyUrl).host}`,
    );
  });

  test('requests through a proxy time out if the proxy never responds', async () => {
    const proxyUrl = await proxy(() => undefined);
    const client = clientOf('http://127.0.0.1:9', { proxyUrl, requestTimeoutMs: 50, retryDelaysMs: [] });
    await expect(client.read()).rejects.toMatchObject({ failure: { kind: 'timeout' } });
  });
});
