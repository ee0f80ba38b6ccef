import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { type AttemptVerdict, classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { createAuthority, createCertificate } from '@artist-watch/harness/certificates';
import { type Receiver, startReceiver } from '@artist-watch/harness/receiver';
import { startRelay } from '@artist-watch/harness/relay';
import { type ConnectReaction, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { type LookUpAll, openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { makeRequest } from '@artist-watch/webhook-worker/adapters/egress/node-request';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { createWebhookSender } from '@artist-watch/webhook-worker/adapters/egress/webhook-sender';
import { afterEach, describe, expect, test } from '@jest/globals';

const cleanups: (() => unknown)[] = [];
let stalled = false;
afterEach(async () => {
  stalled = false;
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function proxy(reaction: ConnectReaction = 'tunnel') {
  const started = await startScriptedProxy(reaction);
  cleanups.push(() => started.close());
  return started;
}

async function receiver(options: Parameters<typeof startReceiver>[0] = {}) {
  const started = await startReceiver(options);
  cleanups.push(() => started.close());
  return started;
}

describe('a webhook', () => {
  function senderThrough(
    proxyUrls: readonly string[],
    {
      ca,
      connectTimeoutMs = 400,
      timeoutMs = 400,
      probeTimeoutMs = 1_000,
      maxAgeMs = 60_000,
      idleTunnels = new IdleTunnels(10),
      lookUpAll,
    }: {
      ca?: string[];
      connectTimeoutMs?: number;
      timeoutMs?: number;
      probeTimeoutMs?: number;
      maxAgeMs?: number;
      idleTunnels?: IdleTunnels;
      lookUpAll?: LookUpAll;
    } = {},
  ) {
    const routes = proxyUrls.map((url) =>
      openEgressRoute(url, {
        connectTimeoutMs,
        idleTimeoutMs: 5_000,
        maxAgeMs,
        idleTunnels,
        ca,
        probeTimeoutMs,
        ...(lookUpAll && { lookUpAll }),
      }),
    );
    cleanups.push(() => routes.forEach((route) => void route.close()));
    const post = createWebhookSender({
      routes,
      timeouts: { responseMs: timeoutMs, totalMs: 5_000 },
      stalledSince: () => stalled,
      egressRequests: { inc: () => undefined },
    });
    return async (url: string, headers: Record<string, string> = {}) => {
      const report = await post({ url, headers, body: Buffer.from('{"a":1}') });
      return { ...report, verdict: classifyAttempt(report.result) };
    };
  }

  describe('a proxy that fails', () => {
    const faults: [name: string, reaction: ConnectReaction, error: string][] = [
      ['does not respond', 'silent', 'proxy_silent'],
      ['resets', 'reset', 'proxy_broke_connect'],
      ['requires credentials', { status: 407 }, 'proxy_refused'],
      ['limits the rate', { status: 429 }, 'proxy_refused'],
      ['returns 502 without a reason', { status: 502 }, 'proxy_refused'],
      ['returns 503 without a reason', { status: 503 }, 'proxy_refused'],
      ['returns 504 without a reason', { status: 504 }, 'proxy_refused'],
      ['responds to CONNECT with 202', { status: 202 }, 'proxy_confused'],
      ['responds to CONNECT with 204', { status: 204 }, 'proxy_confused'],
      [
        'returns an HTML page',
        { status: 500, body: '<html>oops</html>', headers: { 'Content-Type': 'text/html' } },
        'proxy_refused',
      ],
      ['is overloaded', { status: 503, headers: { 'X-Egress-Error': 'overloaded' } }, 'proxy_overloaded'],
    ];
    test.each(faults)('a proxy that %s is never counted against the receiver', async (_name, reaction, error) => {
      const [bad, target] = [await proxy(reaction), await receiver()];
      const { verdict } = await senderThrough([bad.url])(target.url);
      expect(verdict).toMatchObject({ kind: 'not_an_attempt', blame: 'egress', error });
      expect(target.requests).toHaveLength(0);
    });

    test('a proxy that is unreachable is never counted against the receiver', async () => {
      const gone = await startScriptedProxy();
      await gone.close();
      const { verdict } = await senderThrough([gone.url])('http://127.0.0.1:9/');
      expect(verdict).toMatchObject({ kind: 'not_an_attempt', blame: 'egress', error: 'proxy_unreachable' });
    });

    test('a proxy that ends with the request in flight is never counted against the receiver', async () => {
      const [dying, target] = [await startScriptedProxy(), await receiver({ script: 'hang' })];
      const sent = senderThrough([dying.url], { timeoutMs: 10_000 })(target.url);
      await target.waitFor(1);
      await dying.close();
      expect((await sent).verdict).toMatchObject({ kind: 'not_an_attempt', blame: 'egress', error: 'proxy_lost' });
    });

    test('a proxy that freezes with the request in flight is never counted against the receiver', async () => {
      const [behind, target] = [await proxy(), await receiver({ script: 'hang' })];
      const relay = await startRelay(behind.url);
      cleanups.push(() => relay.close());
      const sent = senderThrough([relay.url.replace(/\/$/, '')])(target.url);
      await target.waitFor(1);
      relay.freeze();
      expect((await sent).verdict).toMatchObject({ kind: 'not_an_attempt', blame: 'egress', error: 'proxy_lost' });
    });

    test('a proxy that was frozen during part of the request is never counted against the receiver', async () => {
      const [behind, target] = [await proxy(), await receiver({ script: 'hang' })];
      const relay = await startRelay(behind.url);
      cleanups.push(() => relay.close());
      const send = senderThrough([relay.url.replace(/\/$/, '')], { timeoutMs: 2_000, probeTimeoutMs: 300 });
      const sent = send(target.url);
      await target.waitFor(1);
      relay.freeze();
      // A health check must end without a response in this time.
      await sleep(900);
      relay.restore();
      expect((await sent).verdict).toMatchObject({ kind: 'not_an_attempt', blame: 'egress', error: 'proxy_lost' });
      // The next request times out through a healthy proxy.
      expect((await send(target.url)).verdict).toMatchObject({ kind: 'failed', blame: 'receiver', error: 'timed_out' });
    });

    test('if a proxy stalled while it opened the tunnel, its report about the receiver does not count', async () => {
      const behind = await proxy();
      let connections = 0;
      const relay = await startRelay(behind.url, () => {
        connections += 1;
        return { fromClient: () => undefined, fromServer: () => undefined };
      });
      cleanups.push(() => relay.close());
      const send = senderThrough([relay.url.replace(/\/$/, '')], { connectTimeoutMs: 20_000, probeTimeoutMs: 200 });
      for (const error of ['connection_timed_out', 'name_lookup_failed']) {
        behind.reactWith({ status: 504, headers: { 'X-Egress-Error': error } });
        relay.freeze();
        connections = 0;
        const sent = send('http://receiver.example/');
        // One connection is the CONNECT. The others are health checks, each sent after the previous one got no
        // response.
        await until('health checks without a response', () => connections >= 7);
        relay.restore();
        expect((await sent).verdict).toMatchObject({
          kind: 'not_an_attempt',
          blame: 'egress',
          error: 'proxy_stalled',
        });
        expect((await send('http://receiver.example/')).verdict).toMatchObject({ kind: 'failed', error });
      }
    });

    test('a failing proxy is skipped, and another proxy sends the request immediately', async () => {
      const [bad, good, target] = [await proxy({ status: 503 }), await proxy(), await receiver()];
      const send = senderThrough([bad.url, good.url]);
      for (let count = 0; count < 6; count += 1) {
        expect((await send(target.url)).verdict).toEqual({ kind: 'succeeded', status: 204 });
      }
      expect(target.requests).toHaveLength(6);
      expect(bad.connects.length).toBeLessThan(6);
    });
  });

  describe('a proxy that is about to stop', () => {
    test('a stopping proxy gets no new requests, not even through its open tunnels, until it is healthy again', async () => {
      const [stopping, other] = [await proxy(), await proxy()];
      const [slow, target] = [await receiver({ script: 'hang' }), await receiver()];
      const send = senderThrough([stopping.url, other.url], { timeoutMs: 1_000, probeTimeoutMs: 300 });
      const through = async () => (await send(target.url)).proxy;
      const used = [await through(), await through()];
      expect(new Set(used).size).toBe(2);
      const nameOf = ({ url }: { url: string }) => new URL(url).host;

      stopping.askToBeLeftOut(true);
      // The worker checks a proxy's health while requests are in flight through it.
      const reports = [await send(slow.url), await send(slow.url)];
      expect(reports.map(({ verdict }) => verdict)).toMatchObject([{ error: 'timed_out' }, { error: 'timed_out' }]);
      expect([await through(), await through(), await through()]).toEqual(Array(3).fill(nameOf(other)));

      stopping.askToBeLeftOut(false);
      await until('the proxy to be used again', async () => (await through()) === nameOf(stopping));
    });

    test('a stopping proxy can wait until every tunnel ends, because each tunnel has a maximum age', async () => {
      const [through, target] = [await proxy(), await receiver()];
      const send = senderThrough([through.url], { maxAgeMs: 0 });
      for (let count = 0; count < 3; count += 1) await send(target.url);
      expect(through.connects).toHaveLength(3);
    });
  });

  describe('several proxies behind one name', () => {
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const lookUpAll: LookUpAll = (_name, onFound) =>
      onFound(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    async function twoOfOneName() {
      const first = await proxy();
      const second = await startScriptedProxy('tunnel', first.port, addresses[1]);
      cleanups.push(() => second.close());
      return { first, second, url: `http://egress.example:${first.port}` };
    }

    test('several proxies behind one name are used in rotation, and if one is unreachable, another sends the request', async () => {
      const { first, second, url } = await twoOfOneName();
      const target = await receiver();
      const send = senderThrough([url], { lookUpAll, maxAgeMs: 0 });
      for (let count = 0; count < 4; count += 1) await send(target.url);
      expect(first.connects.length).toBeGreaterThan(0);
      expect(second.connects.length).toBeGreaterThan(0);
      await second.close();
      for (let count = 0; count < 4; count += 1) {
        expect((await send(target.url)).verdict).toEqual({ kind: 'succeeded', status: 204 });
      }
    });

    test.each(['http', 'https'])(
      'if one of several proxies stops, its %s requests in flight count against no receiver',
      async (scheme) => {
        const { first, second, url } = await twoOfOneName();
        const authority = await createAuthority();
        const secure = scheme === 'https' && { certificate: await createCertificate(authority) };
        const target = await receiver({ script: 'hang', ...secure });
        const send = senderThrough([url], { lookUpAll, timeoutMs: 10_000, ca: [authority.cert] });
        const verdicts: AttemptVerdict[] = [];
        const sent = Array.from({ length: 8 }, async () => verdicts.push((await send(target.url)).verdict));
        await target.waitFor(8);
        const [staying, dying] = [first.connects.length, second.connects.length];
        expect([staying > 0, dying > 0]).toEqual([true, true]);
        await second.close();
        await until('the results of the requests through the ended proxy', () => verdicts.length >= dying);
        expect(verdicts).toMatchObject(Array(dying).fill({ kind: 'not_an_attempt', error: 'proxy_lost' }));
        // A connection that breaks behind the healthy proxy is still the receiver's fault.
        await target.close();
        await Promise.all(sent);
        expect(verdicts.slice(dying)).toMatchObject(Array(staying).fill({ kind: 'failed', blame: 'receiver' }));
      },
    );

    test('if one of several proxies behind one name is stopping, only that proxy is skipped', async () => {
      const { first, second, url } = await twoOfOneName();
      const slow = await receiver({ script: 'hang' });
      const send = senderThrough([url], { lookUpAll, timeoutMs: 10_000, probeTimeoutMs: 50, maxAgeMs: 0 });
      second.askToBeLeftOut(true);
      void send(slow.url);
      void send(slow.url);
      await slow.waitFor(2);
      // The worker reads the proxy's health while requests are in flight through it.
      const target = await receiver();
      await until('the remaining proxy to send all requests', async () => {
        const before = [first.connects.length, second.connects.length] as const;
        const fresh = await Promise.all(Array.from({ length: 4 }, () => send(target.url)));
        expect(fresh.map(({ verdict }) => verdict.kind)).toEqual(Array(4).fill('succeeded'));
        return second.connects.length === before[1] && first.connects.length > before[0];
      });
    });

    test("the certificate of a proxy must be for the proxy's name, never for that of a receiver", async () => {
      const names: string[] = [];
      const server = createTlsServer({
        ...(await createCertificate(null)),
        SNICallback: (name, onContext) => {
          names.push(name);
          onContext(null);
        },
      });
      server.on('tlsClientError', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      cleanups.push(() => server.close());
      const { port } = server.address() as AddressInfo;
      const route = openEgressRoute(`https://egress.example:${port}`, {
        connectTimeoutMs: 400,
        idleTimeoutMs: 5_000,
        maxAgeMs: 60_000,
        idleTunnels: new IdleTunnels(10),
        lookUpAll,
      });
      cleanups.push(() => route.close());
      const timeouts = { responseMs: 400, totalMs: 5_000 };
      const request = { url: 'http://receiver.example/', headers: {}, body: Buffer.from('') };
      expect((await makeRequest(route, request, timeouts)).result).toMatchObject({ kind: 'proxy_tls_failed' });
      expect(await route.health.answeredSince('127.0.0.1', 0)).toBe(false);
      expect(names).toEqual(Array(2).fill('egress.example'));
    });
  });

  describe("a proxy's error about the receiver", () => {
    const reasons: [header: string, value: string, status: number, blame: string, error: string][] = [
      ['X-Egress-Error', 'forbidden_address', 403, 'policy', 'forbidden_address'],
      ['X-Egress-Error', 'name_not_found', 502, 'receiver', 'name_not_found'],
      ['X-Egress-Error', 'connection_refused', 502, 'receiver', 'connection_refused'],
      ['X-Egress-Error', 'connection_timed_out', 504, 'receiver', 'connection_timed_out'],
      ['X-Squid-Error', 'ERR_CONNECT_FAIL 111', 503, 'receiver', 'connection_refused'],
      [
        'X-Smokescreen-Error',
        "Egress proxying is denied to host 'x:80': The destination address (10.0.0.1) was denied by rule 'Deny: Private Range'. ",
        407,
        'policy',
        'forbidden_address',
      ],
    ];
    test.each<[dialect: string, header: string, value: string, status: number]>([
      ['Squid', 'X-Squid-Error', 'ERR_CANNOT_FORWARD 0', 500],
      ['another version of Squid', 'X-Squid-Error', 'ERR_DNS_FAIL 0', 503],
      [
        'Smokescreen',
        'X-Smokescreen-Error',
        'Timed out connecting to remote host: lookup x on 10.0.0.2:53: i/o timeout',
        504,
      ],
    ])(
      '%s: an unknown name is the receiver’s failure, but if no name resolves, the proxy is to blame',
      async (_, header, value, status) => {
        const through = await proxy();
        through.reactWith((authority) =>
          authority.startsWith('known.')
            ? { status: 503, headers: { 'X-Squid-Error': 'ERR_CONNECT_FAIL 111' } }
            : { status, headers: { [header]: value } },
        );
        const send = senderThrough([through.url]);
        const errorFor = async (name: string) => {
          const { verdict } = await send(`http://${name}.example/`);
          return verdict.kind === 'succeeded' ? 'none' : verdict.error;
        };

        expect(await errorFor('known')).toBe('connection_refused');
        for (let attempt = 0; attempt < 10; attempt += 1) {
          expect(await errorFor('broken')).toBe('name_lookup_failed');
        }
        const errors = [];
        for (const name of ['b', 'c', 'd', 'e', 'f']) errors.push(await errorFor(name));
        expect(errors).toEqual([...Array(3).fill('name_lookup_failed'), ...Array(2).fill('proxy_cannot_resolve')]);
      },
    );

    test.each(reasons)(
      "a proxy's error about the receiver is understood: %s: %s",
      async (header, value, status, blame, error) => {
        const refusing = await proxy({ status, headers: { [header]: value } });
        const { verdict } = await senderThrough([refusing.url])('https://8.8.8.8/');
        expect(verdict).toMatchObject({ kind: 'failed', blame, error });
      },
    );

    test("a proxy's error about an internal name is the same as for a name that does not exist", async () => {
      const refusing = await proxy({ status: 403, headers: { 'X-Egress-Error': 'forbidden_address' } });
      const { verdict } = await senderThrough([refusing.url])('https://receiver.example/');
      expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver', error: 'name_not_found' });
    });
  });

  describe('a worker that stalled', () => {
    test('if the worker stalled, a missing response counts against no receiver', async () => {
      const through = await proxy();
      stalled = true;
      for (const script of ['hang', 'reset'] as const) {
        const target = await receiver({ script });
        const { verdict } = await senderThrough([through.url])(target.url);
        expect(verdict).toMatchObject({ kind: 'not_an_attempt', blame: 'internal', error: 'worker_stalled' });
      }
    });

    test('if the worker stalled, a response that arrived still counts', async () => {
      const [through, target] = [await proxy(), await receiver({ script: { status: 500 } })];
      stalled = true;
      const { verdict } = await senderThrough([through.url])(target.url);
      expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver', status: 500 });
    });
  });

  describe('the receiver', () => {
    test('the receiver gets the exact bytes and headers, and tunnels are reused for both http and https', async () => {
      const authority = await createAuthority();
      const certificate = await createCertificate(authority);
      const through = await proxy();
      for (const target of [await receiver(), await receiver({ certificate })]) {
        const send = senderThrough([through.url], { ca: [authority.cert] });
        for (let count = 0; count < 3; count += 1) {
          const { verdict } = await send(target.url, { 'X-Service-Attempt': String(count + 1) });
          expect(verdict).toEqual({ kind: 'succeeded', status: 204 });
        }
        expect(target.requests.map((request) => request.body.toString())).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
        expect(target.requests.map((request) => request.headers['x-service-attempt'])).toEqual(['1', '2', '3']);
        expect(target.connectionCount).toBe(1);
      }
    });

    test('a limited number of idle tunnels is kept for all receivers, and the least recently used one is closed', async () => {
      const authority = await createAuthority();
      const certificate = await createCertificate(authority);
      const through = await proxy();
      const busy = await receiver();
      const others = [await receiver(), await receiver({ certificate }), await receiver({ certificate })];
      const [first, , last] = others as [Receiver, Receiver, Receiver];
      const send = senderThrough([through.url], { ca: [authority.cert], idleTunnels: new IdleTunnels(2) });
      const sendTo = async (target: Receiver) => expect((await send(target.url)).verdict.kind).toBe('succeeded');
      await sendTo(busy);
      for (const other of others) {
        await sendTo(other);
        await sendTo(busy);
      }
      expect([busy, ...others].map(({ connectionCount }) => connectionCount)).toEqual([1, 1, 1, 1]);
      await sendTo(last);
      expect(last.connectionCount).toBe(1);
      await sendTo(first);
      expect(first.connectionCount).toBe(2);
    });

    test('an attempt succeeds with any 2xx status, regardless of the body', async () => {
      const target = await receiver({ script: { status: 200, body: 'x'.repeat(1_000_000), neverEnds: true } });
      const { verdict, responseExcerpt } = await senderThrough([(await proxy()).url])(target.url);
      expect(verdict).toEqual({ kind: 'succeeded', status: 200 });
      expect(responseExcerpt).toBe('x'.repeat(4_096));
    });

    test.each([[301], [302], [400], [404], [500], [503]])(
      'an attempt that gets %i has failed, and its redirect is not followed',
      async (status) => {
        const elsewhere = await receiver();
        const target = await receiver({ script: { status, headers: { Location: elsewhere.url }, body: 'no\u0000pe' } });
        const { verdict, responseExcerpt } = await senderThrough([(await proxy()).url])(target.url);
        expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver', status });
        expect(responseExcerpt).toBe('no\ufffdpe');
        expect(elsewhere.requests).toHaveLength(0);
      },
    );

    test('a receiver that times out, resets the connection or does not speak HTTP is to blame', async () => {
      const through = await proxy();
      const hanging = await receiver({ script: 'hang' });
      const resetting = await receiver({ script: 'reset' });
      const send = senderThrough([through.url]);
      expect((await send(hanging.url)).verdict).toMatchObject({
        kind: 'failed',
        blame: 'receiver',
        error: 'timed_out',
      });
      expect((await send(resetting.url)).verdict).toMatchObject({ blame: 'receiver', error: 'connection_reset' });
      // An http client cannot parse the first bytes of TLS.
      const secure = await receiver({ certificate: await createCertificate(await createAuthority()) });
      const plain = secure.url.replace('https:', 'http:');
      expect((await send(plain)).verdict).toMatchObject({ kind: 'failed', blame: 'receiver' });
    });

    test('a receiver whose certificate is expired, self-signed, untrusted or for a different host is to blame', async () => {
      const authority = await createAuthority();
      const through = await proxy();
      const send = senderThrough([through.url], { ca: [authority.cert] });
      const expired = await createCertificate(authority, ['127.0.0.1'], new Date(Date.now() - 1_000));
      const other = await createCertificate(authority, ['other.example']);
      const own = await createCertificate(null);
      const unknown = await createCertificate(await createAuthority('Somebody else'));
      const errors = [];
      for (const certificate of [expired, other, own, unknown]) {
        const target = await receiver({ certificate });
        const { verdict } = await send(target.url);
        expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver' });
        errors.push(verdict.kind === 'failed' && verdict.error);
        expect(target.requests).toHaveLength(0);
      }
      expect(errors).toEqual([
        'certificate_expired',
        'certificate_name_mismatch',
        'certificate_self_signed',
        expect.stringMatching(/^certificate_/),
      ]);
    });
  });
});
