import { randomBytes } from 'node:crypto';
import { claimDeliveries, giveBackClaims } from '@artist-watch/delivery/store/claims';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { releaseWaiting } from '@artist-watch/delivery/store/release';
import { settleAttempts } from '@artist-watch/delivery/store/settlement';
import type { DestinationId } from '@artist-watch/domain/ids';
import { seedConfirmedChanges } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { type Database, inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { correctInFlight } from '@artist-watch/persistence/destination/skip-undeliverable';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import {
  countDeliveries,
  decideSettlement,
  destinationRow,
  LIMITS,
  releaseRows,
  type SeededDeliveries,
  seedReleased,
  seedWaiting,
} from './delivery-rows.js';

const leaseMs = 30_000;
let pool: pg.Pool;
let database: Database;

beforeAll(async () => {
  const suite = await useSuite();
  ({ pool } = suite);
  database = openDatabase({ url: suite.databaseUrl, poolSize: 3, applicationName: 'test' });
  suite.onEnd(() => database.close());
});

beforeEach(async () => {
  await pool.query('TRUNCATE deliveries CASCADE');
  await pool.query('UPDATE destinations SET in_flight = 0');
});

async function release(limit = 1_000): Promise<string[]> {
  return (await releaseWaiting(pool, limit)).map(({ deliveryId }) => deliveryId);
}

async function pause(destinationId: string, ms: number): Promise<void> {
  await pool.query(
    `UPDATE destinations SET consecutive_failures = 1, pace_ms = 1000,
            paced_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1`,
    [destinationId, ms],
  );
}

function waitingOf({ destinationId }: { readonly destinationId: string }): Promise<number> {
  return countDeliveries(pool, destinationId, `state = 'pending' AND relay_at IS NOT NULL`);
}

describe('the release loop', () => {
  test('the release loop releases the two oldest deliveries of an idle destination, and nothing while both are in flight', async () => {
    const { ids, destinationId } = await seedWaiting(pool, 5);
    expect((await release()).sort()).toEqual(ids.slice(0, 2));
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 2 });
    expect(await release()).toEqual([]);
  });

  test('several release loops together release each delivery once, and never more than two per destination', async () => {
    const seeds: SeededDeliveries[] = [];
    for (let count = 0; count < 12; count += 1) seeds.push(await seedWaiting(pool, 5));
    const runs = await Promise.all(Array.from({ length: 6 }, () => release(20)));
    const released = [...runs.flat(), ...(await release())];
    expect(new Set(released).size).toBe(released.length);
    expect(released.sort()).toEqual(seeds.flatMap(({ ids }) => ids.slice(0, 2)).sort());
  });

  test('the release loop releases all deliveries over several batches', async () => {
    const seeds: SeededDeliveries[] = [];
    for (let count = 0; count < 5; count += 1) seeds.push(await seedWaiting(pool, 2));
    const released: string[] = [];
    for (let batch = 3; batch >= 3; ) {
      const some = await release(3);
      released.push(...some);
      batch = some.length;
    }
    expect(released).toHaveLength(10);
  });

  test('the release loop immediately releases deliveries of changes that a process with a fast clock confirmed', async () => {
    const { ids } = await seedWaiting(pool, 1, { confirmedAt: new Date(Date.now() + 3_600_000) });
    expect(await release()).toEqual(ids);
    expect((await claimDeliveries(pool, ids, leaseMs)).size).toBe(1);
  });

  test('the age of a first attempt counts from its release, because the wait for its destination is not a delay', async () => {
    const { ids } = await seedWaiting(pool, 1);
    await pool.query(
      `UPDATE deliveries SET next_attempt_at = next_attempt_at - interval '10 minutes',
              relay_at = relay_at - interval '10 minutes' WHERE id = ANY($1)`,
      [ids],
    );
    await release();
    expect((await claimDeliveries(pool, ids, leaseMs)).get(ids[0] ?? '')?.ageMs).toBeLessThan(300_000);
  });

  test('the release loop releases nothing during a pause and exactly one delivery after it, once nothing is in flight', async () => {
    const { ids, destinationId } = await seedWaiting(pool, 5);
    await pause(destinationId, 60_000);
    expect(await release()).toEqual([]);
    await pause(destinationId, 0);
    expect(await release()).toEqual(ids.slice(0, 1));
    expect(await release()).toEqual([]);
    // The attempt failed, so the next pause begins.
    await settleAttempts(pool, [decideSettlement(destinationId, ids[0] ?? '', 'failed')], LIMITS);
    expect(await release()).toEqual([]);
    await pause(destinationId, 0);
    expect(await release()).toEqual(ids.slice(1, 2));
  });

  test('several release loops together release only one delivery after a pause', async () => {
    const { destinationId } = await seedWaiting(pool, 5);
    await pause(destinationId, 0);
    expect((await Promise.all(Array.from({ length: 5 }, () => release()))).flat()).toHaveLength(1);
  });

  test('the release loop releases nothing for a destination that is off, deleted or not in the plan', async () => {
    for (const gone of [`state = 'off', switched_off_at = now()`, 'deleted_at = now()', 'plan_required = true']) {
      const { destinationId } = await seedWaiting(pool, 1);
      await pool.query(`UPDATE destinations SET ${gone} WHERE id = $1`, [destinationId]);
    }
    expect(await release()).toEqual([]);
  });

  test('tests and resends are released even during a pause, and do not count as in flight', async () => {
    const { destinationId, ids } = await seedWaiting(pool, 2);
    await pool.query(`UPDATE deliveries SET trigger = 'resend' WHERE id = $1`, [ids[0]]);
    const now = new Date();
    const sample = { deliveryId: newId('dlv', now), changeId: newId('chg', now), now };
    const { id: testId } = await deliveryCommands(database).test({ id: destinationId }, sample);
    await pause(destinationId, 60_000);
    expect((await release()).sort()).toEqual([ids[0], testId].sort());
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 0 });
    const settled = [ids[0] ?? '', testId].map((id) =>
      decideSettlement(destinationId, id, 'succeeded', { counts: false }),
    );
    await settleAttempts(pool, settled, LIMITS);
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 0, paceMs: 1_000, failures: 1 });
    expect(await waitingOf({ destinationId })).toBe(1);
  });

  test('recovered deliveries are released like new ones: two at first, and the others after successes', async () => {
    const { destinationId, ids, accountId } = await seedReleased(pool, 6);
    await pool.query(
      `UPDATE deliveries SET state = 'failed', settled_at = now(), next_attempt_at = NULL, attempt_count = 6 WHERE id = ANY($1)`,
      [ids],
    );
    await pool.query('UPDATE destinations SET in_flight = 0 WHERE id = $1', [destinationId]);
    const since = new Date(Date.now() - 600_000);
    const recovery = { since, until: undefined, now: new Date() };
    expect((await deliveryCommands(database).recover({ id: destinationId, accountId }, recovery)).recovered).toBe(6);
    const released = await releaseWaiting(pool, 1_000);
    expect(released).toMatchObject(Array(2).fill({ attemptNumber: 7, roundStart: 6 }));
    const settled = released.map(({ deliveryId }) =>
      decideSettlement(destinationId, deliveryId, 'succeeded', { attemptNumber: 7 }),
    );
    expect((await settleAttempts(pool, settled, LIMITS)).released).toHaveLength(4);
  });
});

describe('a fan-out', () => {
  test('a fan-out creates waiting deliveries, and skipped ones for a destination that is off', async () => {
    const { artistId, destinationId } = await seedWaiting(pool, 1);
    const changeIds = await seedConfirmedChanges(pool, artistId, 3);
    expect(await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()))).toEqual({
      deliveries: 3,
      released: [],
    });
    expect(await waitingOf({ destinationId })).toBe(4);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [destinationId]);
    const more = await seedConfirmedChanges(pool, artistId, 2);
    await inTransaction(pool, (client) => fanOutChanges(client, more, new Date()));
    expect(await countDeliveries(pool, destinationId, `state = 'skipped' AND skipped_reason = 'destination_off'`)).toBe(
      2,
    );
  });

  test('a fan-out that runs twice adds nothing', async () => {
    const { artistId, destinationId } = await seedWaiting(pool, 1);
    const changeIds = await seedConfirmedChanges(pool, artistId, 3);
    for (const deliveries of [3, 0]) {
      const fannedOut = await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));
      expect(fannedOut).toEqual({ deliveries, released: [] });
    }
    expect(await countDeliveries(pool, destinationId)).toBe(4);
  });
});

describe('the count of deliveries in flight', () => {
  test('a count of deliveries in flight is corrected only if it is too high, and a second run finds nothing', async () => {
    const right = await seedReleased(pool, 3);
    const high = await seedReleased(pool, 2);
    const low = await seedReleased(pool, 2);
    await pool.query('UPDATE destinations SET in_flight = in_flight + 5 WHERE id = $1', [high.destinationId]);
    await pool.query('UPDATE destinations SET in_flight = 1 WHERE id = $1', [low.destinationId]);
    expect(await correctInFlight(pool)).toBeGreaterThanOrEqual(1);
    const counts = async () =>
      Promise.all(
        [right, high, low].map(async ({ destinationId }) => (await destinationRow(pool, destinationId)).inFlight),
      );
    expect(await counts()).toEqual([3, 2, 1]);
    expect(await correctInFlight(pool)).toBe(0);
    expect(await counts()).toEqual([3, 2, 1]);
  });

  test('after deliveries in flight were skipped, other deliveries are released once the count is corrected', async () => {
    const { destinationId, ids } = await seedWaiting(pool, 5);
    await releaseRows(pool, { destinationId }, ids.slice(0, 2));
    await pool.query(
      `UPDATE deliveries SET state = 'skipped', skipped_reason = 'destination_off', settled_at = now(),
              next_attempt_at = NULL WHERE id = ANY($1)`,
      [ids.slice(0, 2)],
    );
    expect(await release()).toEqual([]);
    await correctInFlight(pool);
    expect(await release()).toEqual(ids.slice(2, 4));
  });

  test('a correct count of deliveries in flight is never changed, regardless of concurrent deliveries', async () => {
    const seeds: SeededDeliveries[] = [];
    for (let count = 0; count < 4; count += 1) seeds.push(await seedWaiting(pool, 60));
    let isRunning = true;
    const corrections: number[] = [];
    const correcting = (async () => {
      while (isRunning) corrections.push(await correctInFlight(pool));
    })();
    // Several workers settle attempts of each destination. Some of them fail.
    await Promise.all(
      seeds.map(async ({ destinationId }, seed) => {
        const inFlight: string[] = [];
        let attempts = 0;
        for (;;) {
          if (inFlight.length === 0) {
            await pool.query('UPDATE destinations SET paced_until = now() WHERE id = $1 AND pace_ms IS NOT NULL', [
              destinationId,
            ]);
            await release();
            const { rows } = await pool.query<{ id: string }>(
              `SELECT id FROM deliveries WHERE destination_id = $1 AND state = 'pending' AND relay_at IS NULL
                  AND attempt_count = 0`,
              [destinationId],
            );
            inFlight.splice(0, inFlight.length, ...rows.map(({ id }) => id));
            if (inFlight.length === 0 && (await waitingOf({ destinationId })) === 0) return;
          }
          const ended = inFlight.splice(0, 1 + ((attempts + seed) % 3));
          const settlements = ended.map((id) => {
            attempts += 1;
            return decideSettlement(destinationId, id, attempts % 7 === 0 ? 'failed' : 'succeeded');
          });
          const { released } = await settleAttempts(pool, settlements, LIMITS);
          inFlight.push(...released.map(({ deliveryId }) => deliveryId));
        }
      }),
    );
    isRunning = false;
    await correcting;
    expect(corrections.length).toBeGreaterThan(5);
    expect(corrections.filter((count) => count > 0)).toEqual([]);
    for (const { destinationId } of seeds) {
      expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 0 });
    }
  });

  test('the count of deliveries in flight is recalculated when the destination is switched on', async () => {
    const { destinationId, ids, accountId } = await seedReleased(pool, 3);
    await claimDeliveries(pool, ids.slice(0, 1), leaseMs);
    const reference = { id: destinationId as DestinationId, accountId };
    const switches = destinationCommands(database, createSecretBox(randomBytes(32)));
    await switches.disable(reference, new Date());
    expect(await destinationRow(pool, destinationId)).toMatchObject({ state: 'off', inFlight: 3 });
    await switches.enable(reference, new Date());
    // The claimed delivery is still in flight.
    expect(await destinationRow(pool, destinationId)).toMatchObject({ state: 'active', inFlight: 1, paceMs: null });
  });

  test('the count of deliveries in flight does not change when a claim is given back, and never falls below 0', async () => {
    const { destinationId, ids } = await seedReleased(pool, 2);
    const [claim] = (await claimDeliveries(pool, ids.slice(0, 1), leaseMs)).values();
    if (!claim) throw new Error('The delivery was refused.');
    await giveBackClaims(pool, [{ ...claim, delayMs: 0, pausesDestination: false }]);
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 2 });
    // A replica of an older version does not count deliveries in flight.
    await pool.query('UPDATE destinations SET in_flight = 0 WHERE id = $1', [destinationId]);
    await settleAttempts(
      pool,
      ids.map((id) => decideSettlement(destinationId, id, 'succeeded')),
      LIMITS,
    );
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 0 });
  });
});
