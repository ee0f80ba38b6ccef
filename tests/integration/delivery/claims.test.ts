import { claimDeliveries, explainRefusals, giveBackClaims } from '@artist-watch/delivery/store/claims';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { type OverdueDelivery, overdueDeliveries, releaseWaiting } from '@artist-watch/delivery/store/release';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { accountStore } from '@artist-watch/persistence/account/store';
import { type Database, inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type pg from 'pg';
import { createTestDeliver, destinationRow, seedReleased, seedWaiting } from './delivery-rows.js';

const leaseMs = 30_000;
let pool: pg.Pool;
let database: Database;

beforeAll(async () => {
  const suite = await useSuite();
  ({ pool } = suite);
  database = openDatabase({ url: suite.databaseUrl, poolSize: 2, applicationName: 'test' });
  suite.onEnd(() => database.close());
});

async function setPlan({ accountId }: { readonly accountId: string }, plan: PlanName): Promise<void> {
  await accountStore(database).setPlan({ id: accountId as AccountId, plan, now: new Date() });
}

function switchOff(destinationIds: readonly string[]) {
  return pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = ANY($1)`, [
    destinationIds,
  ]);
}

/** A worker gives claims back in this form. */
async function takeClaims(ids: readonly string[], forMs: number) {
  const claims = await claimDeliveries(pool, ids, forMs);
  return ids.map((id) => {
    const claim = claims.get(id);
    if (!claim) throw new Error('A delivery was refused.');
    return { ...claim, delayMs: 0, pausesDestination: false };
  });
}

/** The same statements as a worker's return `claimed` or the reason of the refusal. */
async function claimKinds(ids: readonly string[]): Promise<string[]> {
  const claims = await claimDeliveries(pool, ids, leaseMs);
  const reasons = await explainRefusals(pool, ids);
  return ids.map((id, index) => (claims.has(id) ? 'claimed' : (reasons[index]?.kind ?? 'unknown')));
}

describe('a claim', () => {
  test('only one of many workers that claim a delivery concurrently gets it, and the others must wait', async () => {
    const { ids } = await seedReleased(pool, 20);
    const results = await Promise.all(Array.from({ length: 8 }, () => claimKinds(ids)));
    for (const [index] of ids.entries()) {
      const kinds = results.map((result) => result[index]).sort();
      expect(kinds).toEqual(['claimed', ...Array.from({ length: 7 }, () => 'claimed_elsewhere')]);
    }
  });

  test('after a claim has expired, the next worker gets the delivery and learns that it takes over', async () => {
    const { ids } = await seedReleased(pool, 1);
    const [id = ''] = ids;
    expect((await claimDeliveries(pool, ids, 0)).get(id)).toMatchObject({ isTakenOver: false });
    expect((await claimDeliveries(pool, ids, leaseMs)).get(id)).toMatchObject({
      attemptNumber: 1,
      attemptInRound: 1,
      trigger: 'change',
      isTakenOver: true,
    });
  });

  test('a delivery cannot be claimed if it is early, waiting, settled or unknown, or its destination is off or not in the plan', async () => {
    const early = await seedReleased(pool, 1);
    await pool.query(`UPDATE deliveries SET next_attempt_at = now() + interval '1 minute' WHERE id = ANY($1)`, [
      early.ids,
    ]);
    const waiting = await seedWaiting(pool, 1);
    const off = await seedReleased(pool, 1);
    await switchOff([off.destinationId]);
    const unpaid = await seedReleased(pool, 1);
    await setPlan(unpaid, 'pro');
    const settled = await seedReleased(pool, 1);
    await pool.query(
      `UPDATE deliveries SET state = 'failed', settled_at = now(), next_attempt_at = NULL WHERE id = ANY($1)`,
      [settled.ids],
    );
    const ids = [early, waiting, off, unpaid, settled].flatMap((seeded) => seeded.ids);
    expect(await claimDeliveries(pool, [...ids, 'dlv_unknown'], leaseMs)).toEqual(new Map());
    expect(await explainRefusals(pool, [...ids, 'dlv_unknown'])).toEqual([
      {
        kind: 'later',
        waitMs: expect.closeTo(60_000, -4),
        due: { deliveryId: early.ids[0], attemptNumber: 1, roundStart: 0 },
      },
      { kind: 'nothing_due' },
      { kind: 'undeliverable', destinationId: off.destinationId },
      { kind: 'undeliverable', destinationId: unpaid.destinationId },
      { kind: 'nothing_due' },
      { kind: 'nothing_due' },
    ]);
  });

  test('a claim waits for a settlement that may switch the failing destination off, and is then refused', async () => {
    const { ids, destinationId } = await seedReleased(pool, 1);
    await pool.query('UPDATE destinations SET consecutive_failures = 19 WHERE id = $1', [destinationId]);
    const settlement = await pool.connect();
    try {
      await settlement.query('BEGIN');
      await settlement.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
        destinationId,
      ]);
      const claim = claimKinds(ids);
      await until('the claim to wait', async () => {
        const { rowCount } = await pool.query(
          `SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%claimed_until%'`,
        );
        return rowCount === 1;
      });
      await settlement.query('COMMIT');
      expect(await claim).toEqual(['undeliverable']);
    } finally {
      settlement.release();
    }
  });

  test('a claim that is given back after our own error does not change the attempt number or the window', async () => {
    const { ids, destinationId } = await seedReleased(pool, 1);
    await giveBackClaims(pool, await takeClaims(ids, leaseMs));
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: 1, paceMs: null, failures: 0 });
    expect((await claimDeliveries(pool, ids, leaseMs)).get(ids[0] ?? '')).toMatchObject({
      attemptNumber: 1,
      isTakenOver: false,
    });
  });

  test('a claim that is given back because a chat platform requires a wait pauses the destination without a failure', async () => {
    const { ids, destinationId } = await seedReleased(pool, 3);
    const [first = '', second = '', retry = ''] = ids;
    await pool.query('UPDATE deliveries SET attempt_count = 1 WHERE id = $1', [retry]);
    await pool.query('UPDATE destinations SET in_flight = 2 WHERE id = $1', [destinationId]);
    const giveBack = async (id: string, delayMs: number) => {
      const claims = await takeClaims([id], leaseMs);
      await giveBackClaims(
        pool,
        claims.map((claim) => ({ ...claim, delayMs, pausesDestination: true })),
      );
    };
    await giveBack(first, 60_000);
    // A shorter pause does not end a longer one.
    await giveBack(second, 1_000);
    await giveBack(retry, 2_000);
    expect(await destinationRow(pool, destinationId)).toMatchObject({
      ...{ failures: 0, inFlight: 0, paceMs: 0, pausedForMs: expect.closeTo(60_000, -4) },
    });
    // The retry keeps its own time, and first attempts wait until the pause ends.
    const { rows } = await pool.query('SELECT id FROM deliveries WHERE id = ANY($1) AND relay_at IS NOT NULL', [ids]);
    expect(rows.map(({ id }) => id).sort()).toEqual([first, second].sort());
    const released = async () => (await releaseWaiting(pool, 1_000)).map(({ deliveryId }) => deliveryId);
    expect(await released()).not.toContain(first);
    await pool.query('UPDATE destinations SET paced_until = now() WHERE id = $1', [destinationId]);
    expect((await released()).filter((id) => ids.includes(id))).toEqual([first]);
  });

  test('a worker cannot give back an expired claim that another worker now has', async () => {
    const { ids } = await seedReleased(pool, 1);
    const first = await takeClaims(ids, 0);
    await takeClaims(ids, leaseMs);
    await giveBackClaims(pool, first);
    expect(await claimKinds(ids)).toEqual(['claimed_elsewhere']);
  });
});

describe('the sweep', () => {
  const overdue = async (ids: readonly string[], graceMs = 0) => {
    const found = await overdueDeliveries(pool, { graceMs, limit: 100_000 });
    return found.map(({ deliveryId }) => deliveryId).filter((id) => ids.includes(id));
  };

  test('the sweep finds released deliveries that are due and have no valid claim, after a grace period', async () => {
    const { ids } = await seedReleased(pool, 5);
    const [due, claimed, claimEnded, later, waiting] = ids as [string, string, string, string, string];
    await claimDeliveries(pool, [claimed], leaseMs);
    await claimDeliveries(pool, [claimEnded], 0);
    await pool.query(`UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = $1`, [later]);
    await pool.query('UPDATE deliveries SET relay_at = now() WHERE id = $1', [waiting]);
    expect((await overdue(ids)).sort()).toEqual([due, claimEnded].sort());
    expect(await overdue(ids, 60_000)).toEqual([]);
    await pool.query(`UPDATE deliveries SET next_attempt_at = now() - interval '2 minutes' WHERE id = $1`, [due]);
    expect(await overdue(ids, 60_000)).toEqual([due]);
  });

  test('the sweep reads each delivery once, page by page, even if several are due at the same time', async () => {
    const { ids } = await seedReleased(pool, 7);
    await pool.query(
      `UPDATE deliveries SET next_attempt_at = next_attempt_at - interval '1 minute' WHERE id = ANY($1)`,
      [ids.slice(4)],
    );
    const read: string[] = [];
    for (let after: OverdueDelivery | undefined; ; ) {
      const page = await overdueDeliveries(pool, { graceMs: 0, after, limit: 2 });
      read.push(...page.map(({ deliveryId }) => deliveryId).filter((id) => ids.includes(id)));
      after = page.at(-1);
      if (!after) break;
    }
    expect(read).toEqual([...ids.slice(4), ...ids.slice(0, 4)]);
  });

  test('the sweep skips pending deliveries to a destination that is off, but not those in flight', async () => {
    const { ids, destinationId } = await seedReleased(pool, 3);
    await claimDeliveries(pool, ids.slice(0, 1), leaseMs);
    await switchOff([destinationId]);
    expect(await skipUndeliverable(pool, { limit: 100, destinationIds: [destinationId] })).toBe(2);
    const { rows } = await pool.query('SELECT state, skipped_reason FROM deliveries WHERE id = ANY($1) ORDER BY id', [
      ids,
    ]);
    expect(rows).toEqual([
      { state: 'pending', skipped_reason: null },
      { state: 'skipped', skipped_reason: 'destination_off' },
      { state: 'skipped', skipped_reason: 'destination_off' },
    ]);
  });

  test('the sweep does not skip a test while its destination is off, but skips it once nothing may be sent there', async () => {
    const { ids, destinationId } = await seedReleased(pool, 2);
    await switchOff([destinationId]);
    const now = new Date();
    const sample = { deliveryId: newId('dlv', now), changeId: newId('chg', now), now };
    const { id: testId } = await deliveryCommands(database).test({ id: destinationId }, sample);
    await pool.query('UPDATE deliveries SET relay_at = NULL WHERE id = $1', [testId]);
    expect(await skipUndeliverable(pool, { limit: 10_000 })).toBeGreaterThanOrEqual(2);
    expect(await skipUndeliverable(pool, { limit: 100, destinationIds: [destinationId] })).toBe(0);
    const claim = async () => [...(await claimDeliveries(pool, [...ids, testId], leaseMs)).keys()];
    expect(await claim()).toEqual([testId]);
    expect(await explainRefusals(pool, [testId])).toMatchObject([{ kind: 'claimed_elsewhere' }]);

    await pool.query('UPDATE deliveries SET claimed_until = NULL WHERE id = $1', [testId]);
    await pool.query('UPDATE destinations SET plan_required = true WHERE id = $1', [destinationId]);
    expect(await claim()).toEqual([]);
    expect(await explainRefusals(pool, [testId])).toEqual([{ kind: 'undeliverable', destinationId }]);
    expect(await skipUndeliverable(pool, { limit: 100, destinationIds: [destinationId] })).toBe(1);
  });

  test('the sweep skips pending deliveries of an account whose plan has no destinations, and of no other account', async () => {
    const lost = await seedReleased(pool, 2);
    const kept = await seedReleased(pool, 1);
    const statesOf = async ({ ids }: typeof lost) => {
      const { rows } = await pool.query<{ state: string; skipped_reason: string | null }>(
        'SELECT state, skipped_reason FROM deliveries WHERE id = ANY($1) ORDER BY id',
        [ids],
      );
      return rows;
    };
    await claimDeliveries(pool, lost.ids.slice(1), leaseMs);
    await setPlan(lost, 'pro');
    await skipUndeliverable(pool, { limit: 10_000 });
    const pending = { state: 'pending', skipped_reason: null };
    expect(await statesOf(lost)).toEqual([{ state: 'skipped', skipped_reason: 'plan_required' }, pending]);
    await setPlan(lost, 'business');
    await pool.query('UPDATE deliveries SET claimed_until = NULL WHERE id = ANY($1)', [lost.ids]);
    await skipUndeliverable(pool, { limit: 10_000 });
    expect(await statesOf(lost)).toEqual([{ state: 'skipped', skipped_reason: 'plan_required' }, pending]);
    expect(await statesOf(kept)).toEqual([pending]);
  });

  test('the sweep does not skip pending deliveries to a destination that is being switched on', async () => {
    const { ids, destinationId } = await seedReleased(pool, 1);
    await switchOff([destinationId]);
    await inTransaction(pool, async (client) => {
      await client.query(`UPDATE destinations SET state = 'active', switched_off_at = NULL WHERE id = $1`, [
        destinationId,
      ]);
      await skipUndeliverable(pool, { limit: 10_000 });
    });
    await skipUndeliverable(pool, { limit: 10_000, destinationIds: [destinationId] });
    const { rows } = await pool.query('SELECT state FROM deliveries WHERE id = ANY($1)', [ids]);
    expect(rows).toEqual([{ state: 'pending' }]);
  });

  test('refused deliveries to a destination that is off cause only one read of its backlog at a time', async () => {
    const { ids, destinationId } = await seedReleased(pool, 5);
    await switchOff([destinationId]);
    const deliver = createTestDeliver(pool);
    const statements = jest.spyOn(pool, 'query');
    const skips = () =>
      statements.mock.calls.filter(([query]) => (query as unknown as pg.QueryConfig).name === 'skip-undeliverable-of');
    const refuseAll = () => Promise.all(ids.map((id) => deliver.deliver([id])));
    await refuseAll();
    expect(skips()).toHaveLength(1);
    await pool.query(
      `UPDATE deliveries SET state = 'pending', skipped_reason = NULL, settled_at = NULL, next_attempt_at = now()
        WHERE id = ANY($1)`,
      [ids],
    );
    await refuseAll();
    expect(skips()).toHaveLength(2);
    statements.mockRestore();
    await deliver.stop();
    const { rows } = await pool.query('SELECT DISTINCT state FROM deliveries WHERE id = ANY($1)', [ids]);
    expect(rows).toEqual([{ state: 'skipped' }]);
  });

  test('the sweep skips no more deliveries per run than its limit allows, and all of them within a few runs', async () => {
    const seeds = await Promise.all([seedReleased(pool, 5), seedReleased(pool, 5)]);
    const destinationIds = seeds.map(({ destinationId }) => destinationId);
    await switchOff(destinationIds);
    const skipped = [];
    for (let time = 0; time < 3; time += 1) skipped.push(await skipUndeliverable(pool, { limit: 4, destinationIds }));
    expect(skipped).toEqual([4, 4, 2]);
  });
});
