import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { createWebhookSender } from '@artist-watch/webhook-worker/adapters/egress/webhook-sender';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  drip,
  dripAfter,
  flood,
  type HostileReceiverOptions,
  type Hostility,
  say,
  sayAndClose,
  startHostileReceiver,
} from './hostile-receiver.js';

const responseMs = 300;
/** Connecting takes longer on a busy machine. */
const connectMs = 1_000;
/** A request that takes longer would block its slot. */
const patienceMs = 10 * (responseMs + connectMs);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function hostile(hostility: Hostility, options: HostileReceiverOptions = {}) {
  const receiver = await startHostileReceiver(hostility, options);
  cleanups.push(() => receiver.close());
  return receiver;
}

const succeeded = (status: number) => ({ kind: 'succeeded', status });
const failed = (error: string) => ({ kind: 'failed', blame: 'receiver', error });
const answered = (status: number) => ({ kind: 'failed', blame: 'receiver', error: 'unexpected_status', status });

const ok = 'HTTP/1.1 200 OK\r\n';
const no = 'HTTP/1.1 503 No\r\n';
const bomb = gzipSync(Buffer.alloc(50_000_000));

describe('a webhook', () => {
  async function startProxy() {
    const proxy = await startScriptedProxy();
    cleanups.push(() => proxy.close());
    return proxy;
  }

  async function startSender(proxies?: readonly ScriptedProxy[]) {
    const routes = (proxies ?? [await startProxy()]).map(({ url }) =>
      openEgressRoute(url, {
        connectTimeoutMs: connectMs,
        idleTimeoutMs: 5_000,
        maxAgeMs: 60_000,
        idleTunnels: new IdleTunnels(100),
      }),
    );
    cleanups.push(() => routes.map((route) => route.close()));
    const post = createWebhookSender({
      routes,
      timeouts: { responseMs, totalMs: connectMs + responseMs },
      stalledSince: () => false,
      egressRequests: { inc: () => undefined },
    });
    return async (url: string) => {
      const sent = post({ url, headers: { 'Content-Type': 'application/json' }, body: Buffer.from('{"a":1}') });
      const report = await Promise.race([sent, sleep(patienceMs, undefined, { ref: false })]);
      if (!report) throw new Error('The slot is not free.');
      return { verdict: classifyAttempt(report.result), excerpt: report.responseExcerpt };
    };
  }

  describe('a receiver that', () => {
    const cases: [what: string, hostility: Hostility, verdict: object][] = [
      ['sends nothing', say(), failed('timed_out')],
      [
        'sends its status line one character at a time',
        drip(`${ok}X-A: ${'b'.repeat(1_000)}`, 60),
        failed('timed_out'),
      ],
      ['sends its headers one character at a time after its status line', dripAfter(ok, 'X-A: b', 50), succeeded(200)],
      ['never ends its headers', flood(ok, 'X-Flood: of headers\r\n'), succeeded(200)],
      ['sends a header line of 17 KB', say(`${ok}X-Long: ${'a'.repeat(17_000)}\r\n\r\n`), succeeded(200)],
      ['sends a header line of 64 KB', say(`${no}X-Long: ${'a'.repeat(65_536)}\r\n\r\n`), answered(503)],
      [
        'sends a reason phrase of 64 KB',
        say(`HTTP/1.1 200 ${'a'.repeat(65_536)}\r\n\r\n`),
        failed('headers_too_large'),
      ],
      ['never ends its reason phrase', flood('HTTP/1.1 200 ', 'very '), failed('headers_too_large')],
      ['sends only empty lines', flood('', '\r\n'), failed('timed_out')],
      ['sends endless 102 or 103 responses', flood('', 'HTTP/1.1 102 Processing\r\n\r\n'), failed('malformed_answer')],
      ['sends endless 100 Continue responses', flood('', 'HTTP/1.1 100 Continue\r\n\r\n'), failed('malformed_answer')],
      [
        'sends informational responses slowly',
        drip('HTTP/1.1 102 Processing\r\n\r\n'.repeat(50), 5),
        failed('timed_out'),
      ],
      [
        'sends early hints and then responds',
        say('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', `${ok}\r\n`),
        succeeded(200),
      ],
      ['switches protocols', say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'), answered(101)],
      [
        'switches protocols',
        say('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'bytes of x'),
        answered(101),
      ],
      ['speaks a different protocol', say('220 mail.example ESMTP ready\r\n'), failed('malformed_answer')],
      ['sends binary data', say(Buffer.from([0, 1, 2, 255, 254, 13, 10])), failed('malformed_answer')],
      ['speaks HTTP/2', say('HTTP/2 200\r\n\r\n'), failed('malformed_answer')],
      ['sends a status of four digits', say('HTTP/1.1 2000 OK\r\n\r\n'), failed('malformed_answer')],
      ['answers 999', say('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'), answered(999)],
      ['puts a NUL into a header', say(`${ok}X-A: b\0c\r\n\r\n`), succeeded(200)],
      [
        'sends both a length and chunked encoding',
        say(`${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`),
        succeeded(200),
      ],
      ['sends two lengths', say(`${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`), succeeded(200)],
      ['returns 503 with two lengths', say(`${no}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`), answered(503)],
      ['ends its lines with LF only', say('HTTP/1.1 200 OK\nContent-Length: 2\n\nok'), succeeded(200)],
      ['returns 410 and ends its lines with LF only', say('HTTP/1.1 410 Gone\nContent-Length: 0\n\n'), answered(410)],
      [
        'ends the lines of early hints with LF only',
        say('HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\n\n'),
        succeeded(200),
      ],
      ['puts a space before a colon', say(`${ok}Content-Length : 2\r\n\r\nok`), succeeded(200)],
      ['folds a header', say(`${ok}X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n`), succeeded(200)],
      ['returns 503 with a folded header', say(`${no}X-A: b\r\n\tc\r\n d\r\n: e\r\n\r\n`), answered(503)],
      ['sends no reason phrase', say('HTTP/1.1 204\r\n\r\n'), succeeded(204)],
      ['sends its status line in parts', say('HTT', 'P/1.1 2', '02 Acc', 'epted\n', 'a b: c\r\n\r\n'), succeeded(202)],
      [
        'has a second status line in its reason phrase',
        say('HTTP/1.1 500 HTTP/1.1 200 OK\r\na b: c\r\n\r\n'),
        answered(500),
      ],
      [
        'has a second status line in a header',
        say('HTTP/1.1 500 No\r\na b: c\r\nHTTP/1.1 200 OK\r\n\r\n'),
        answered(500),
      ],
      ['closes without sending anything', sayAndClose(''), failed('connection_closed')],
      ['closes in the middle of its status line', sayAndClose('HTTP/1.1 20'), failed('connection_closed')],
      ['closes in the middle of its headers', sayAndClose(`${ok}X-A: b\r\n`), succeeded(200)],
      ['resets', (socket) => void socket.resetAndDestroy(), failed('connection_reset')],
      ['closes after its headers', sayAndClose(`${ok}Content-Length: 100\r\n\r\n`), succeeded(200)],
      [
        'closes in the middle of its body',
        sayAndClose('HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nhalf'),
        answered(500),
      ],
      ['sends invalid chunks', say(`${ok}Transfer-Encoding: chunked\r\n\r\nzzz\r\n`), succeeded(200)],
      ['sends no length and keeps the connection open', say(`${ok}\r\nbody`), succeeded(200)],
      ['responds with HTTP/1.0', sayAndClose('HTTP/1.0 204 No Content\r\n\r\n'), succeeded(204)],
      [
        'never ends its body',
        flood(`${ok}Transfer-Encoding: chunked\r\n\r\n`, `${'1000\r\n'.padEnd(4_102, 'x')}\r\n`),
        succeeded(200),
      ],
      ['returns 503 and never ends its body', flood('HTTP/1.1 503 No\r\n\r\n', 'no '), answered(503)],
      ['responds with 100 MB', flood(`${ok}Content-Length: 100000000\r\n\r\n`, 'x'), succeeded(200)],
      [
        'sends a gzip bomb',
        say(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`, bomb),
        succeeded(200),
      ],
      [
        'responds twice',
        say(`${ok}Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`),
        succeeded(200),
      ],
    ];

    test.each(cases)(
      'if a receiver %s, the attempt has a definite outcome, and its slot is free at the deadline',
      async (_what, act, expected) => {
        const send = await startSender();
        const { url } = await hostile(act);
        const { verdict, excerpt } = await send(url);
        expect(verdict).toMatchObject(expected);
        expect(Buffer.byteLength(excerpt ?? '')).toBeLessThanOrEqual(3 * 4_096);
        // The next request is not affected.
        expect((await send(url)).verdict).toMatchObject(expected);
      },
    );
  });

  describe('a receiver behind TLS that', () => {
    const cases: [what: string, hostility: Hostility, verdict: object][] = [
      ['never starts the handshake', say(), failed('timed_out')],
      [
        'sends its handshake one byte at a time',
        drip('\x16\x03\x03\x40\x00'.padEnd(1_000, '\x02'), 20),
        failed('timed_out'),
      ],
      ['speaks HTTP', say(`${ok}\r\n`), failed('tls_failed')],
      ['closes', sayAndClose(''), failed('connection_reset')],
      ['never ends its handshake', flood('', '\x16\x03\x03\x00\x04\x00\x00\x00\x00'), failed('timed_out')],
    ];

    test.each(cases)(
      'if a TLS receiver %s, the attempt has a definite outcome, and its slot is free at the deadline',
      async (_what, act, expected) => {
        const send = await startSender();
        const { url } = await hostile(act, { atFirstByte: true });
        expect((await send(url.replace('http:', 'https:'))).verdict).toMatchObject(expected);
      },
    );
  });

  describe('a receiver that closes a kept-alive connection while the next request is sent', () => {
    /** The second request of each connection closes it. */
    const closesWhenReused =
      (close: (socket: Socket) => void): Hostility =>
      (socket) => {
        if (answeredSockets.has(socket)) close(socket);
        else socket.write(`${ok}Content-Length: 0\r\n\r\n`);
        answeredSockets.add(socket);
      };
    const answeredSockets = new WeakSet<Socket>();

    test.each<[how: string, close: (socket: Socket) => void]>([
      ['normally', (socket) => socket.end()],
      ['with a reset', (socket) => socket.resetAndDestroy()],
    ])(
      'a receiver that closes a kept-alive connection %s gets the request again on a new connection',
      async (_how, close) => {
        const send = await startSender();
        const receiver = await hostile(closesWhenReused(close));
        expect((await send(receiver.url)).verdict).toEqual(succeeded(200));
        expect((await send(receiver.url)).verdict).toEqual(succeeded(200));
        expect(receiver.connectionCount).toBe(2);
      },
    );

    test('an attempt fails if the receiver closes the new connection too', async () => {
      const send = await startSender();
      let requests = 0;
      const receiver = await hostile((socket) => {
        requests += 1;
        if (requests === 1) socket.write(`${ok}Content-Length: 0\r\n\r\n`);
        else socket.end();
      });
      expect((await send(receiver.url)).verdict).toEqual(succeeded(200));
      expect((await send(receiver.url)).verdict).toMatchObject(failed('connection_closed'));
      expect(requests).toBe(3);
    });

    test('a receiver that closes a kept-alive connection gets the request again only once, even through another proxy', async () => {
      const proxies = [await startProxy(), await startProxy()] as const;
      const send = await startSender(proxies);
      let requests = 0;
      const respond = closesWhenReused((socket) => socket.end());
      const receiver = await hostile((socket) => {
        requests += 1;
        respond(socket);
      });
      // Each proxy gets one kept-alive connection.
      await send(receiver.url);
      await send(receiver.url);
      proxies[0].reactWith({ status: 503 });
      expect((await send(receiver.url)).verdict).toEqual(succeeded(200));
      expect(requests).toBe(4);
    });

    test('a receiver that closes a kept-alive connection after its first byte gets no second request', async () => {
      const send = await startSender();
      let requests = 0;
      const receiver = await hostile((socket) => {
        requests += 1;
        if (requests === 1) socket.write(`${ok}Content-Length: 0\r\n\r\n`);
        else socket.end('H');
      });
      expect((await send(receiver.url)).verdict).toEqual(succeeded(200));
      expect((await send(receiver.url)).verdict).toMatchObject(failed('connection_closed'));
      expect(requests).toBe(2);
    });
  });

  describe('memory', () => {
    const floods: [what: string, hostility: Hostility][] = [
      ['endless bodies', flood(`${ok}\r\n`, 'x')],
      ['responses of 100 MB', flood('HTTP/1.1 500 No\r\nContent-Length: 100000000\r\n\r\n', 'x')],
      ['endless gzip bombs', flood(`${ok}Content-Encoding: gzip\r\n\r\n`, bomb)],
      ['endless headers', flood(ok, 'X-Flood: of headers\r\n')],
      ['header lines of 64 KB', flood(ok, `X-Long: ${'a'.repeat(65_536)}\r\n`)],
      ['endless informational responses', flood('', 'HTTP/1.1 102 Processing\r\n\r\n')],
    ];

    test.each(floods)("the worker's memory does not grow with %s, because it stops reading", async (_what, act) => {
      const send = await startSender();
      const receiver = await hostile(act);
      const requests = 100;
      await Promise.all(Array.from({ length: requests }, () => send(receiver.url)));
      // Kernels and the proxy buffer slightly less.
      expect(receiver.bytesTaken() / requests).toBeLessThan(10_000_000);
    });
  });
});
