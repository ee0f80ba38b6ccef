import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { createAuthority, createCertificate } from '@artist-watch/harness/certificates';
import { startReceiver } from '@artist-watch/harness/receiver';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { makeRequest } from '@artist-watch/webhook-worker/adapters/egress/node-request';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type HostileReceiverOptions, type Hostility, say, startHostileReceiver } from './hostile-receiver.js';

const ok = 'HTTP/1.1 200 OK\r\n';
/** Only a request that hangs takes this long. */
const timeouts = { responseMs: 20_000, totalMs: 25_000 };

/** Stops reading the request and sends the text. */
function stopReading(text: string): Hostility {
  return (socket) => {
    socket.pause();
    socket.write(text);
  };
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a request', () => {
  async function requester({ ca, ...changed }: Partial<typeof timeouts> & { ca?: string[] } = {}) {
    const proxy = await startScriptedProxy();
    cleanups.push(() => proxy.close());
    const route = openEgressRoute(proxy.url, {
      connectTimeoutMs: 20_000,
      idleTimeoutMs: 5_000,
      maxAgeMs: 60_000,
      idleTunnels: new IdleTunnels(10),
      ca,
    });
    cleanups.push(() => route.close());
    return {
      proxy,
      request: (url: string, { headers = {}, body = Buffer.from('{}') } = {}) =>
        makeRequest(route, { url, headers, body }, { ...timeouts, ...changed }),
      noTunnelIsInUse: () => until('no tunnel to be in use', () => Object.keys(route.agents.http.sockets).length === 0),
    };
  }

  async function raw(act: Hostility, options: HostileReceiverOptions = {}) {
    const receiver = await startHostileReceiver(act, options);
    cleanups.push(() => receiver.close());
    return receiver;
  }

  test('a webhook request has only the given headers and those that HTTP requires', async () => {
    const target = await startReceiver();
    cleanups.push(() => target.close());
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Artist-Watch-Webhooks/1',
      'X-Service-Signature': 't=1,v1=abc',
    };
    const { request } = await requester();
    await request(target.url, { headers, body: Buffer.from('{"name":"Sigur Rós"}') });
    expect(target.requests[0]).toMatchObject({ method: 'POST', path: '/webhooks' });
    expect(target.requests[0]?.headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Artist-Watch-Webhooks/1',
      'x-service-signature': 't=1,v1=abc',
      host: `127.0.0.1:${target.port}`,
      'content-length': '21',
      connection: 'keep-alive',
    });
  });

  test.each([
    ['http', 80],
    ['https', 443],
  ] as const)(
    'a webhook request goes to the default port of its scheme if the URL has no port: %s',
    async (scheme, port) => {
      const authority = await createAuthority();
      const certificate = await createCertificate(authority, ['receiver.test']);
      const target = await startReceiver(scheme === 'https' ? { certificate } : {});
      cleanups.push(() => target.close());
      const { proxy, request } = await requester({ ca: [authority.cert] });
      proxy.reactWith({ leadsTo: target.port });
      const { result } = await request(`${scheme}://receiver.test/hooks`);
      expect(result).toEqual({ kind: 'answered', status: 204 });
      expect(proxy.connects).toEqual([`receiver.test:${port}`]);
      expect(target.requests[0]?.headers.host).toBe('receiver.test');
    },
  );

  test('a webhook request sends every byte of its body unchanged', async () => {
    const target = await startReceiver();
    cleanups.push(() => target.close());
    const body = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 256));
    const { request } = await requester();
    await request(target.url, { body });
    expect(target.requests[0]?.body.equals(body)).toBe(true);
  });

  test('a webhook request sends the path and the query unchanged', async () => {
    const target = await startReceiver();
    cleanups.push(() => target.close());
    const { request } = await requester();
    await request(`${target.url}/a%2Fb/%C3%B3?x=1&y=a%20b`);
    expect(target.requests[0]?.path).toBe('/webhooks/a%2Fb/%C3%B3?x=1&y=a%20b');
  });

  test('the first 4 KiB of a response are stored as text that a database accepts', async () => {
    const { request } = await requester();
    const short = await raw(say(`${ok}Content-Length: 5\r\n\r\n`, Buffer.from([0x61, 0, 0xff, 0xc3, 0xb3])));
    expect((await request(short.url)).responseExcerpt).toBe('a\ufffd\ufffdó');
    const long = await raw(say(`${ok}Content-Length: 5000\r\n\r\n`, 'x'.repeat(5_000)));
    expect((await request(long.url)).responseExcerpt).toBe('x'.repeat(4_096));
    const empty = await raw(say(`${ok}Content-Length: 0\r\n\r\n`));
    expect((await request(empty.url)).responseExcerpt).toBeNull();
  });

  test('the status of a response counts even if its body is incomplete', async () => {
    const { request } = await requester();
    const { url } = await raw((socket) => {
      socket.write(`${ok}Content-Length: 100\r\n\r\nhalf`, () => setImmediate(() => socket.destroy()));
    });
    expect(await request(url)).toMatchObject({ result: { kind: 'answered', status: 200 } });
  });

  test('a tunnel is reused after a complete response, but not after an aborted one', async () => {
    const whole = await raw(say(`${ok}Content-Length: 4\r\n\r\nbody`));
    const left = await raw(say(`${ok}Content-Length: 6000\r\n\r\n`, 'x'.repeat(5_000)));
    const { request } = await requester();
    for (const { url } of [whole, whole, left, left]) await request(url);
    expect(whole.connectionCount).toBe(1);
    expect(left.connectionCount).toBe(2);
  });

  test('a response that arrives before the whole request was sent is accepted, and the tunnel is closed', async () => {
    const { url } = await raw(stopReading('HTTP/1.1 413 Too large\r\nContent-Length: 0\r\n\r\n'), {
      atFirstByte: true,
    });
    const { request, noTunnelIsInUse } = await requester();
    const { result } = await request(url, { body: Buffer.alloc(50_000_000) });
    expect(result).toEqual({ kind: 'answered', status: 413 });
    await noTunnelIsInUse();
  });

  test('a webhook request is aborted if the receiver does not read all of it, and its tunnel is closed', async () => {
    const { url } = await raw(stopReading(''), { atFirstByte: true });
    const { request, noTunnelIsInUse } = await requester({ responseMs: 300 });
    const { result } = await request(url, { body: Buffer.alloc(50_000_000) });
    expect(result).toEqual({ kind: 'timed_out', phase: 'request' });
    await noTunnelIsInUse();
  });

  test('a webhook request is aborted if it takes too long in total, and its tunnel is closed', async () => {
    const { url } = await raw(say());
    const { request, noTunnelIsInUse } = await requester({ responseMs: 60_000, totalMs: 200 });
    const { result } = await request(url);
    expect(result).toEqual({ kind: 'timed_out', phase: 'response' });
    await noTunnelIsInUse();
  });

  test("a required client certificate is the receiver's failure, even if it is reported after the handshake", async () => {
    const authority = await createAuthority();
    const { key, cert } = await createCertificate(authority);
    const server = createServer({ key, cert, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const { request } = await requester({ ca: [authority.cert] });
    const { result } = await request(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(result).toMatchObject({ kind: 'tls_failed' });
  });

  test('a webhook request that cannot be created is an internal error and does not throw', async () => {
    const { request } = await requester();
    const { result } = await request('http://127.0.0.1:9/', { headers: { 'X-Bad': 'line\nbreak' } });
    expect(result).toMatchObject({ kind: 'internal_error' });
  });
});
