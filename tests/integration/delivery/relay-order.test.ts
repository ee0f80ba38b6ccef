import type { QueuedDelivery } from '@artist-watch/delivery/queue/delivery-queue';
import { relayDeliveries } from '@artist-watch/delivery/store/relay';
import { bucketOf, bucketsOf } from '@artist-watch/domain/delivery/queue-shard';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { expect, test } from '@jest/globals';

const CHANGES = 20;

test('deliveries confirmed together are handed over destination by destination in turn, a small page at a time', async () => {
  const { pool } = await useSuite();
  const { artistId } = await seedDestination(pool);
  for (let more = 0; more < 4; more += 1) await seedDestination(pool, { artistId });
  const changeIds = await seedConfirmedChanges(pool, artistId, CHANGES);
  await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));

  const handedOver: QueuedDelivery[] = [];
  const page = { limit: 10, lookAheadMs: 0, buckets: bucketsOf(0, 1) };
  while ((await relayDeliveries(pool, page, async (due) => void handedOver.push(...due))).queued > 0) {}

  expect(handedOver).toHaveLength(CHANGES * 5);
  for (let from = 0; from < handedOver.length; from += 5) {
    expect(new Set(handedOver.slice(from, from + 5).map(({ destinationId }) => destinationId)).size).toBe(5);
  }
});

test('a long line of one destination does not come before the others of its page, and yields from its fifth on', async () => {
  const { pool } = await useSuite();
  await pool.query('DELETE FROM deliveries');
  const busy = await seedDestination(pool);
  const calm = await seedDestination(pool);
  const confirm = async ({ artistId }: typeof busy, count: number) => {
    const changeIds = await seedConfirmedChanges(pool, artistId, count);
    await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));
  };
  await confirm(busy, 30);
  await confirm(calm, 2);

  let handedOver: readonly QueuedDelivery[] = [];
  await relayDeliveries(pool, { limit: 100, lookAheadMs: 0, buckets: bucketsOf(0, 1) }, async (due) => {
    handedOver = due;
  });

  const destinations = handedOver.map(({ destinationId }) => destinationId);
  expect(destinations).toHaveLength(32);
  expect(destinations.slice(0, 4).sort()).toEqual(
    [busy.destinationId, calm.destinationId, busy.destinationId, calm.destinationId].sort(),
  );
  const yielding = handedOver.filter(({ yields }) => yields);
  expect(yielding).toHaveLength(26);
  expect(new Set(yielding.map(({ destinationId }) => destinationId))).toEqual(new Set([busy.destinationId]));
});

test('whose delivery has just been made has its turn with the first of the next shared page, however long a line is', async () => {
  const { pool } = await useSuite();
  await pool.query('DELETE FROM deliveries');
  const busy = await seedDestination(pool);
  const confirm = async ({ artistId }: typeof busy, count: number) => {
    const changeIds = await seedConfirmedChanges(pool, artistId, count);
    await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));
  };
  await confirm(busy, 300);
  const calm: string[] = [];
  const bucketsTaken = new Set([bucketOf(busy.destinationId)]);
  while (calm.length < 3) {
    const destination = await seedDestination(pool);
    // Two may share a bucket by chance, and would share its turn.
    const bucket = bucketOf(destination.destinationId);
    if (bucketsTaken.has(bucket)) continue;
    bucketsTaken.add(bucket);
    await confirm(destination, 1);
    calm.push(destination.destinationId);
  }

  const page = { limit: 64, lookAheadMs: 0, buckets: bucketsOf(0, 1) };
  const handedOver = async (order: 'oldest' | 'heads') => {
    const destinations: string[] = [];
    await relayDeliveries(pool, { ...page, order }, async (due) => {
      destinations.push(...due.map(({ destinationId }) => destinationId));
    });
    return destinations;
  };

  expect(new Set(await handedOver('oldest'))).toEqual(new Set([busy.destinationId]));
  expect(await handedOver('heads')).toEqual(expect.arrayContaining(calm));
});
