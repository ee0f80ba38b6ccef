import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { compose } from './compose.js';
import type { EgressConfig } from './config.js';
import { ProxyRig, TEST_CONFIG, textOf } from './testing/running-proxy.js';

let rig: ProxyRig;
beforeEach(() => {
  rig = new ProxyRig();
});
afterEach(() => rig.close());

function startProxy(config: Partial<EgressConfig> = {}) {
  return rig.start(compose({ ...TEST_CONFIG, ...config }, rig.stopSignal.signal));
}

async function receiver(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  return `http://127.0.0.1:${await rig.listenWith(createServer(handler))}`;
}

async function send(url: string, options: RequestOptions = {}, body?: string) {
  const sending = request({ host: '127.0.0.1', port: rig.port, path: url, agent: false, ...options });
  sending.end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  return { answer, body: await textOf(answer), clientPort: (sending.socket as Socket).localPort };
}

describe('a request in absolute form', () => {
  test('is passed on with its method, path, query and body, and so is the answer', async () => {
    await startProxy();
    const url = await receiver(async (incoming, response) => {
      const body = await textOf(incoming);
      response.writeHead(201, 'Made', { 'X-Own': 'yes', 'Set-Cookie': ['a=1', 'b=2'] });
      response.end(JSON.stringify({ method: incoming.method, url: incoming.url, host: incoming.headers.host, body }));
    });
    const { answer, body } = await send(
      `${url}/hook?x=1`,
      { method: 'POST', headers: { Host: 'elsewhere' } },
      '{"a":1}',
    );
    expect([answer.statusCode, answer.statusMessage]).toEqual([201, 'Made']);
    expect(answer.headers).toMatchObject({ 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'] });
    expect(JSON.parse(body)).toEqual({
      method: 'POST',
      url: '/hook?x=1',
      host: new URL(url).host,
      body: '{"a":1}',
    });
  });

  test.each(['GET', 'DELETE', 'PUT', 'POST', 'HEAD', 'OPTIONS'])('%s without a body is framed', async (method) => {
    await startProxy();
    const url = await receiver((incoming, response) => {
      incoming.resume().on('end', () => response.end(method));
    });
    const { answer, body } = await send(`${url}/`, { method });
    expect(answer.statusCode).toBe(200);
    expect(body).toBe(method === 'HEAD' ? '' : method);
  });

  test.each(['GET', 'POST', 'DELETE'])('a chunked body of %s stays a body', async (method) => {
    await startProxy();
    const url = await receiver(async (incoming, response) => response.end(await textOf(incoming)));
    const { body } = await send(
      `${url}/`,
      { method, headers: { 'Transfer-Encoding': 'chunked' } },
      'GET /smuggled HTTP/1.1\r\n\r\n',
    );
    expect(body).toBe('GET /smuggled HTTP/1.1\r\n\r\n');
  });

  test('headers meant for this hop end here, in both directions', async () => {
    await startProxy();
    let seen: IncomingMessage['headers'] = {};
    const url = await receiver((incoming, response) => {
      seen = incoming.headers;
      response.writeHead(200, {
        Connection: 'close, X-Hop',
        'X-Hop': '1',
        'Proxy-Authenticate': 'Basic',
        'X-Egress-Error': 'overloaded',
        'X-Smokescreen-Error': 'x',
        'X-Squid-Error': 'ERR_DNS_FAIL 0',
        'X-Kept': '1',
      });
      response.end('ok');
    });
    const { answer } = await send(`${url}/`, {
      headers: {
        Connection: 'keep-alive, X-Secret-Hop, Content-Length',
        'X-Secret-Hop': '1',
        'Proxy-Authorization': 'Basic dTpw',
        'Proxy-Connection': 'keep-alive',
        Upgrade: 'h2c',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        tracestate: 'vendor=1',
        baggage: 'customer=1',
        TE: 'trailers',
        'X-Kept': '1',
      },
    });
    for (const name of [
      ...['x-secret-hop', 'proxy-authorization', 'proxy-connection', 'upgrade', 'te'],
      ...['traceparent', 'tracestate', 'baggage'],
    ]) {
      expect(seen[name]).toBeUndefined();
    }
    expect(seen).toMatchObject({ 'x-kept': '1', via: '1.1 artist-watch-egress', connection: 'close' });
    for (const name of ['x-hop', 'proxy-authenticate', 'x-egress-error', 'x-smokescreen-error', 'x-squid-error']) {
      expect(answer.headers[name]).toBeUndefined();
    }
    expect(answer.headers['x-kept']).toBe('1');
  });

  test('one connection to the proxy serves many requests, also after a refusal by a receiver', async () => {
    await startProxy();
    const url = await receiver((_incoming, response) => response.writeHead(500).end('no'));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const clientPorts = new Set<unknown>();
    for (let index = 0; index < 3; index += 1) {
      const { answer, clientPort } = await send(`${url}/`, { agent });
      clientPorts.add(clientPort);
      expect(answer.statusCode).toBe(500);
    }
    expect(clientPorts.size).toBe(1);
    agent.destroy();
  });

  test('a large answer comes whole', async () => {
    await startProxy();
    const url = await receiver((_incoming, response) => response.end(Buffer.alloc(16 * 1024 * 1024, 'x')));
    expect((await send(`${url}/`)).body.length).toBe(16 * 1024 * 1024);
  });

  test('is refused by the same rules as CONNECT, with the same tokens', async () => {
    await startProxy();
    const closed = await rig.closedPort();
    for (const [url, status, token] of [
      ['http://10.0.0.1/', 403, 'forbidden_address'],
      ['http://0x0a.1/', 403, 'forbidden_address'],
      ['http://[::1]:8080/', 403, 'forbidden_address'],
      ['http://127.0.0.1:22/', 403, 'forbidden_port'],
      ['http://nowhere.invalid/', 502, 'name_not_found'],
      [`http://127.0.0.1:${closed}/`, 502, 'connection_refused'],
      ['http://', 400, 'bad_request'],
    ] as const) {
      const { answer } = await send(url);
      expect([url, answer.statusCode, answer.headers['x-egress-error']]).toEqual([url, status, token]);
    }
  });

  test('a receiver that closes without an answer is a failed connection', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) => socket.once('data', () => socket.end()));
    const { answer } = await send(`http://127.0.0.1:${port}/`);
    expect([answer.statusCode, answer.headers['x-egress-error']]).toEqual([502, 'connection_failed']);
  });

  test('an answer that is no HTTP is a failed connection', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) => socket.once('data', () => socket.end('220 smtp ready\r\n')));
    const { answer } = await send(`http://127.0.0.1:${port}/`);
    expect([answer.statusCode, answer.headers['x-egress-error']]).toEqual([502, 'connection_failed']);
  });

  test('a receiver that switches protocols is a failed connection', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
    );
    const { answer } = await send(`http://127.0.0.1:${port}/`);
    expect([answer.statusCode, answer.headers['x-egress-error']]).toEqual([502, 'connection_failed']);
  });

  test('a receiver that is silent for the idle time is a timeout', async () => {
    await startProxy({ idleTimeoutMs: 50 });
    const { port } = await rig.listen((socket) => socket.resume());
    const { answer } = await send(`http://127.0.0.1:${port}/`);
    expect([answer.statusCode, answer.headers['x-egress-error']]).toEqual([504, 'connection_timed_out']);
  });

  test('an answer that breaks off does not look whole', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
        setTimeout(() => socket.resetAndDestroy(), 20);
      }),
    );
    await expect(send(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('a client that goes away closes the connection to the receiver', async () => {
    await startProxy();
    let destination: Socket | undefined;
    const { port } = await rig.listen((socket) => {
      destination = socket;
      socket.resume();
    });
    const client = await rig.raw(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await rig.until(() => destination !== undefined);
    client.resetAndDestroy();
    await rig.until(async () => (await rig.metric('egress_open_tunnels')) === 0);
    expect(await rig.metric('egress_tunnel_ends_total', 'absolute', 'client_lost')).toBe(1);
  });
});

describe('OPTIONS *', () => {
  test('is answered by the proxy itself: it says that it is there', async () => {
    await startProxy();
    const { answer } = await send('*', { method: 'OPTIONS' });
    expect(answer.statusCode).toBe(204);
  });
});
