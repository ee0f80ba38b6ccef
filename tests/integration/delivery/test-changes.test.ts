import { randomBytes } from 'node:crypto';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { createTestChange } from '@artist-watch/delivery/store/test-changes';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { SeededDestination } from '@artist-watch/harness/delivery-fixtures';
import { startReceiver } from '@artist-watch/harness/receiver';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { newId } from '@artist-watch/runtime/ids';
import { verify } from '@artist-watch/webhook-signature';
import { expect, test } from '@jest/globals';
import { startDeliveryStack } from './delivery-stack.js';

const SECRET = 'whsec_0123456789abcdef';
const suite = await useSuite();
const proxy = await startScriptedProxy();
suite.onEnd(() => proxy.close());
const database = openDatabase({ url: suite.databaseUrl, applicationName: 'test' });
suite.onEnd(() => database.close());
const stack = await startDeliveryStack({ proxyUrls: [proxy.url] });

async function create({ accountId, artistId }: SeededDestination) {
  const now = new Date();
  const request = { id: newId('chg', now), accountId, artistId, type: 'release_removed', by: OPERATOR, now };
  const { deliveries } = await createTestChange(database, { ...request, platform: 'deezer' });
  const [delivery] = deliveries;
  if (!delivery) throw new Error('The test change has no delivery.');
  return delivery.id;
}

async function deliveryOf(id: string) {
  const { rows } = await suite.pool.query<{ state: string; attempts: number; failures: number; paced: boolean }>(
    `SELECT d.state, d.attempt_count AS attempts, t.consecutive_failures AS failures, t.pace_ms IS NOT NULL AS paced
       FROM deliveries d JOIN destinations t ON t.id = d.destination_id WHERE d.id = $1`,
    [id],
  );
  return rows[0];
}

test('a test change is signed and retried like a real one, and its failures never count', async () => {
  const target = await startReceiver({ script: { status: 503 } });
  suite.onEnd(() => target.close());
  const worker = await stack.startWorker({ WEBHOOK_RETRY_DELAYS: '1s,1s' });
  const seeded = await stack.destination({ url: target.url, secret: SECRET, consecutiveFailures: 19 });
  const id = await create(seeded);
  await until('the last attempt', async () => (await deliveryOf(id))?.state === 'failed');
  expect(await deliveryOf(id)).toEqual({ state: 'failed', attempts: 3, failures: 19, paced: false });
  expect(target.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
  for (const { headers, body, receivedAt } of target.requests) {
    const header = headers['x-service-signature'] ?? '';
    verify({ secret: SECRET, header, body, now: Math.floor(receivedAt.getTime() / 1_000) });
    expect(JSON.parse(body.toString())).toMatchObject({ event: 'change.confirmed', test: true });
  }
  const recovery = { since: new Date(0), now: new Date() };
  const { recovered } = await deliveryCommands(database).recover({ id: seeded.destinationId }, recovery);
  expect(recovered).toBe(0);

  target.answerWith({ status: 204 });
  const succeeded = await create(seeded);
  await until('the success', async () => (await deliveryOf(succeeded))?.state === 'succeeded');
  expect(await deliveryOf(succeeded)).toMatchObject({ attempts: 1, failures: 19 });
  await worker.stop();
});

test('a waiting retry of a test change is skipped when its destination is disabled', async () => {
  const target = await startReceiver({ script: { status: 503 } });
  suite.onEnd(() => target.close());
  const worker = await stack.startWorker({ WEBHOOK_RETRY_DELAYS: '1h' });
  const seeded = await stack.destination({ url: target.url });
  const id = await create(seeded);
  await until('the first attempt', async () => (await deliveryOf(id))?.attempts === 1);
  await destinationCommands(database, createSecretBox(randomBytes(32))).disable(
    { id: seeded.destinationId },
    new Date(),
  );
  await until('the skipped retry', async () => (await deliveryOf(id))?.state === 'skipped');
  expect(target.requests).toHaveLength(1);
  await worker.stop();
});
