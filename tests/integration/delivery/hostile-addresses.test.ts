import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { compose } from '@artist-watch/egress-proxy/compose';
import { readConfig } from '@artist-watch/egress-proxy/config';
import { startReceiver } from '@artist-watch/harness/receiver';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { createWebhookSender } from '@artist-watch/webhook-worker/adapters/egress/webhook-sender';
import { afterEach, describe, expect, test } from '@jest/globals';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The egress proxy may connect to no other loopback address. */
const allowed = '127.0.0.1';
const inner = '127.0.0.2';

/** Webhooks must not reach this server. */
async function startInnerServer() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  server.listen(0, inner);
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, inner);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('a webhook', () => {
  async function startSender(resolve: (name: string) => readonly string[] = () => []) {
    const config = readConfig({
      EGRESS_PORT: '0',
      OPS_PORT: '0',
      LISTEN_HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      EGRESS_ALLOW_CIDRS: `${allowed}/32`,
    });
    const proxy = await compose(config, new AbortController().signal, { resolve: async (name) => resolve(name) });
    cleanups.push(() => proxy.stop(AbortSignal.abort()));
    const route = openEgressRoute(`http://127.0.0.1:${proxy.addresses.egress}`, {
      connectTimeoutMs: 5_000,
      idleTimeoutMs: 5_000,
      maxAgeMs: 60_000,
      idleTunnels: new IdleTunnels(10),
    });
    cleanups.push(() => route.close());
    const post = createWebhookSender({
      routes: [route],
      timeouts: { responseMs: 5_000, totalMs: 10_000 },
      stalledSince: () => false,
      egressRequests: { inc: () => undefined },
    });
    return async (url: string) => {
      const { result, responseExcerpt } = await post({ url, headers: {}, body: Buffer.from('{}') });
      return { verdict: classifyAttempt(result), responseExcerpt };
    };
  }

  const refused = {
    verdict: {
      kind: 'failed',
      blame: 'policy',
      error: 'forbidden_address',
      reason: 'The IP address is not allowed for webhooks.',
    },
    responseExcerpt: null,
  };
  const nameRefused = {
    verdict: {
      kind: 'failed',
      blame: 'receiver',
      error: 'name_not_found',
      reason: 'The host name does not exist, or it has an IP address that is not public.',
    },
    responseExcerpt: null,
  };

  test.each([
    ['an address', inner],
    ['an IP address inside IPv6', `[::ffff:${inner}]`],
    ['an IP address behind NAT64', '[64:ff9b::7f00:2]'],
    ['a number', '2130706434'],
  ])('%s: an open port and a closed port cause the same error', async (_, host) => {
    const target = await startInnerServer();
    const send = await startSender();
    for (const scheme of ['http', 'https']) {
      for (const port of [target.port, await closedPort()]) {
        expect(await send(`${scheme}://${host}:${port}/webhooks`)).toEqual(refused);
      }
    }
    expect(target.connections()).toBe(0);
  });

  test.each([
    ['a name that does not exist', 'inner.example', []],
    ['a name', 'inner.example', [inner]],
    ['a name with an IP address inside IPv6', 'inner.example', [`::ffff:${inner}`]],
    ['a name that also has an allowed IP address', 'mixed.example', [allowed, inner]],
    ['a name whose second IP address is allowed', 'mixed.example', [inner, allowed]],
  ])('%s: an open port and a closed port cause the same error as any internal name', async (_, host, answers) => {
    const target = await startInnerServer();
    const send = await startSender(() => answers);
    for (const scheme of ['http', 'https']) {
      for (const port of [target.port, await closedPort()]) {
        expect(await send(`${scheme}://${host}:${port}/webhooks`)).toEqual(nameRefused);
      }
    }
    expect(target.connections()).toBe(0);
  });

  test('a host name that changes to a private IP address after its first use is blocked from the next connection on', async () => {
    const receiver = await startReceiver({ host: 'turning.example', script: { headers: { Connection: 'close' } } });
    cleanups.push(() => receiver.close());
    let answers = [allowed];
    const send = await startSender(() => answers);
    expect((await send(receiver.url)).verdict).toMatchObject({ kind: 'succeeded' });
    for (const turned of [[inner], [allowed, inner], ['169.254.169.254']]) {
      answers = turned;
      expect(await send(receiver.url)).toEqual(nameRefused);
    }
    answers = [allowed];
    expect((await send(receiver.url)).verdict).toMatchObject({ kind: 'succeeded' });
    expect(receiver.requests).toHaveLength(2);
  });
});
