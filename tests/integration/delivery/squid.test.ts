import { classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { startReceiver } from '@artist-watch/harness/receiver';
import { findSquid, startSquid } from '@artist-watch/harness/squid';
import { until } from '@artist-watch/harness/until';
import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { ProxyPool } from '@artist-watch/webhook-worker/adapters/egress/proxy-pool';
import { createWebhookSender } from '@artist-watch/webhook-worker/adapters/egress/webhook-sender';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { senders } from './senders.js';

const program = await findSquid();
const where = program === undefined ? describe.skip : describe;
const forbidden = '10.255.0.1';

where(program === undefined ? 'through Squid (none is installed here)' : 'through Squid', () => {
  let squid: EmbeddedServer;
  beforeAll(async () => {
    squid = await startSquid(program ?? '', [
      `acl forbidden dst ${forbidden}`,
      'http_access deny forbidden',
      'http_access allow all',
    ]);
  }, 60_000);
  afterAll(() => squid.stop());

  async function send(createRequest: (typeof senders)[number][1], url: string) {
    const monotonic = { nowMs: () => performance.now() };
    const route = openEgressRoute(squid.url, monotonic, {
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
      maxAgeMs: 60_000,
      maxIdle: 10,
      ca: undefined,
      probeTimeoutMs: 1_000,
    });
    const sender = createWebhookSender({
      pool: new ProxyPool([route]),
      makeRequest: createRequest({ responseMs: 5_000, totalMs: 15_000 }),
      monotonic,
      stoodStillSince: () => false,
      observer: { requestEnded: () => undefined },
    });
    try {
      return classifyAttempt((await sender.send({ url, headers: {}, body: Buffer.from('{}') })).result);
    } finally {
      route.close();
    }
  }

  describe.each(senders)('with %s', (_setting, createRequest) => {
    test('a webhook arrives', async () => {
      const receiver = await startReceiver();
      expect(await send(createRequest, receiver.url)).toMatchObject({ kind: 'succeeded', status: 204 });
      expect(receiver.requests).toHaveLength(1);
      await receiver.close();
    });

    test('a receiver that refuses connections is to blame for it', async () => {
      const receiver = await startReceiver();
      await receiver.close();
      expect(await send(createRequest, receiver.url)).toMatchObject({ kind: 'failed', blame: 'receiver' });
    });

    test('what its rules deny is held against the address, not the receiver', async () => {
      expect(await send(createRequest, `http://${forbidden}/`)).toMatchObject({ kind: 'failed', blame: 'policy' });
    });

    test('while it is gone nobody is charged, and after its restart webhooks arrive', async () => {
      const receiver = await startReceiver();
      process.kill(squid.pid, 'SIGKILL');
      await until('its fault', async () => {
        const verdict = await send(createRequest, receiver.url);
        return verdict.kind === 'not_an_attempt' && verdict.blame === 'egress';
      });
      const before = receiver.requests.length;
      await squid.restart();
      expect(await send(createRequest, receiver.url)).toMatchObject({ kind: 'succeeded' });
      expect(receiver.requests).toHaveLength(before + 1);
      await receiver.close();
    });
  });
});
