import { type AttemptVerdict, classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { type NameServer, type NameServerAnswer, startNameServer } from '@artist-watch/harness/name-server';
import { startReceiver } from '@artist-watch/harness/receiver';
import { findSquid, startSquid } from '@artist-watch/harness/squid';
import { startUnresponsiveHost } from '@artist-watch/harness/unresponsive-host';
import { until } from '@artist-watch/harness/until';
import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { createWebhookSender } from '@artist-watch/webhook-worker/adapters/egress/webhook-sender';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const program = findSquid();
const names = new Map<string, NameServerAnswer>();
let areNamesLost = false;
const nameServer: NameServer | undefined =
  program === undefined
    ? undefined
    : await startNameServer((name) => (areNamesLost ? 'failure' : (names.get(name) ?? 'no such name')));

const where = program === undefined ? describe.skip : describe;
const forbidden = '10.255.0.1';

where(program === undefined ? 'through Squid (not installed here)' : 'through Squid', () => {
  let squid: EmbeddedServer;
  beforeAll(async () => {
    squid = await startSquid(program ?? '', [
      `acl forbidden dst ${forbidden}`,
      'http_access deny forbidden',
      'http_access allow all',
      'connect_timeout 1 second',
      ...(nameServer ? [`dns_nameservers ${nameServer.address}`] : []),
    ]);
  });
  afterAll(async () => {
    nameServer?.close();
    // Squid ends when it has closed all its connections, which takes a while on a busy machine.
    await squid.stop();
  });

  function openSender() {
    const route = openEgressRoute(squid.url, {
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
      maxAgeMs: 60_000,
      idleTunnels: new IdleTunnels(10),
      ca: undefined,
      probeTimeoutMs: 1_000,
    });
    const post = createWebhookSender({
      routes: [route],
      timeouts: { responseMs: 5_000, totalMs: 15_000 },
      stalledSince: () => false,
      egressRequests: { inc: () => undefined },
    });
    return {
      send: async (url: string): Promise<AttemptVerdict> =>
        classifyAttempt((await post({ url, headers: {}, body: Buffer.from('{}') })).result),
      close: () => route.close(),
    };
  }

  async function send(url: string) {
    const sender = openSender();
    try {
      return await sender.send(url);
    } finally {
      sender.close();
    }
  }

  test('a webhook arrives through Squid', async () => {
    const receiver = await startReceiver();
    expect(await send(receiver.url)).toMatchObject({ kind: 'succeeded', status: 204 });
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  test('a receiver that refuses connections through Squid is to blame', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await send(receiver.url)).toMatchObject({
      kind: 'failed',
      blame: 'receiver',
      error: 'connection_refused',
    });
  });

  test('a receiver that does not accept connections through Squid is to blame', async () => {
    const host = await startUnresponsiveHost();
    const verdict = await send(`http://127.0.0.1:${host.port}/`);
    await host.close();
    expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver', error: 'connection_timed_out' });
  });

  test("a denial by Squid's rules counts as a blocked address, not as a failure of the receiver", async () => {
    expect(await send(`http://${forbidden}/`)).toMatchObject({ kind: 'failed', blame: 'policy' });
  });

  const whereNamed = nameServer ? describe : describe.skip;
  whereNamed(nameServer ? 'by name' : 'by name (port 53 is not available here)', () => {
    test('a webhook arrives through Squid at a host name', async () => {
      const name = 'receiver.example';
      names.set(name, '127.0.0.1');
      const receiver = await startReceiver({ host: name });
      expect(await send(receiver.url)).toMatchObject({ kind: 'succeeded' });
      await receiver.close();
    });

    test('a name that does not exist, or whose servers fail, counts against the receiver', async () => {
      names.set('broken.example', 'failure');
      for (const name of ['missing', 'broken']) {
        expect(await send(`http://${name}.example/`)).toMatchObject({
          kind: 'failed',
          blame: 'receiver',
          error: 'name_lookup_failed',
        });
      }
    });

    test('if no name resolves, Squid is to blame, until one resolves again', async () => {
      const receiver = await startReceiver();
      const urlOf = (name: string) => `http://${name}.example:${receiver.port}/`;
      for (const name of ['before', 'after']) names.set(`${name}.example`, '127.0.0.1');
      const { send: sendOn, close } = openSender();

      expect(await sendOn(urlOf('before'))).toMatchObject({ kind: 'succeeded' });
      areNamesLost = true;
      const errors = [];
      for (const name of ['lost-1', 'lost-2', 'lost-3', 'lost-4', 'lost-5', 'lost-6']) {
        const verdict = await sendOn(urlOf(name));
        errors.push(verdict.kind === 'succeeded' ? 'none' : verdict.error);
      }
      areNamesLost = false;
      expect(errors).toEqual([...Array(4).fill('name_lookup_failed'), ...Array(2).fill('proxy_cannot_resolve')]);
      expect(await sendOn(urlOf('after'))).toMatchObject({ kind: 'succeeded' });
      expect(await sendOn(urlOf('never'))).toMatchObject({ kind: 'failed', blame: 'receiver' });
      close();
      await receiver.close();
    });
  });

  test('while Squid is down, failures count against no receiver, and webhooks arrive after its restart', async () => {
    const receiver = await startReceiver();
    process.kill(squid.pid, 'SIGKILL');
    await until('a failure caused by Squid', async () => {
      const verdict = await send(receiver.url);
      return verdict.kind === 'not_an_attempt' && verdict.blame === 'egress';
    });
    const before = receiver.requests.length;
    await squid.restart();
    expect(await send(receiver.url)).toMatchObject({ kind: 'succeeded' });
    expect(receiver.requests).toHaveLength(before + 1);
    await receiver.close();
  });
});
