import { createPostgresDeliveryRecord } from '@artist-watch/delivery/consume/postgres-delivery-record';
import { claimDeliveries, explainRefusals, releaseDeliveries } from '@artist-watch/delivery/store/claims';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deferDeliveries, releaseDeferred } from '@artist-watch/delivery/store/deferral';
import { relayDeliveries } from '@artist-watch/delivery/store/relay';
import { expectedInQueue, type SweptDelivery, stillExpectedInQueue } from '@artist-watch/delivery/store/sweep';
import type { PlanName } from '@artist-watch/domain/account/plans';
import { bucketsOf } from '@artist-watch/domain/delivery/queue-shard';
import { paceLimits } from '@artist-watch/domain/delivery/retry-schedule';
import type { AccountId } from '@artist-watch/domain/ids';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { accountStore } from '@artist-watch/persistence/account/store';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { type Database, inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type pg from 'pg';

const leaseMs = 30_000;
let pool: pg.Pool;
let database: Database;

beforeAll(async () => {
  const suite = await useSuite();
  ({ pool } = suite);
  database = openDatabase({ url: suite.databaseUrl, poolSize: 2, applicationName: 'test' });
  suite.onEnd(() => database.close());
});

async function seedDeliveries(count: number, now = new Date()) {
  const seeded = await seedDestination(pool);
  const changeIds = await seedConfirmedChanges(pool, seeded.artistId, count);
  await inTransaction(pool, (client) => fanOutChanges(client, changeIds, now));
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM deliveries WHERE destination_id = $1 ORDER BY id', [
    seeded.destinationId,
  ]);
  return { ...seeded, ids: rows.map((row) => row.id) };
}

async function setPlan({ accountId }: { readonly accountId: string }, plan: PlanName): Promise<void> {
  await accountStore(database).setPlan({ id: accountId as AccountId, plan, now: new Date() });
}

/** Claims that were given, as they are given back. */
async function takeClaims(ids: readonly string[], forMs: number) {
  return (await claimDeliveries(pool, ids, forMs)).map((claim) => {
    if (!claim) throw new Error('A delivery was refused.');
    return { ...claim, delayMs: 0 };
  });
}

/** Claims, and the reasons where they are refused, as a worker asks for both. */
async function ask(ids: readonly string[]) {
  const claims = await claimDeliveries(pool, ids, leaseMs);
  const refused = ids.filter((_, index) => !claims[index]);
  const reasons = (await explainRefusals(pool, refused)).values();
  return claims.map((claim) => claim ?? reasons.next().value);
}

function relayAll(add: (ids: string[]) => Promise<void> = async () => undefined) {
  return relayDeliveries(pool, { limit: 10_000, lookAheadMs: 0, buckets: bucketsOf(0, 1) }, (deliveries) =>
    add(deliveries.map((delivery) => delivery.deliveryId)),
  );
}

describe('a claim', () => {
  test('is given to one of many workers that ask at once, and the others must wait', async () => {
    const { ids } = await seedDeliveries(20);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(ids)));
    for (const [index] of ids.entries()) {
      const kinds = answers.map((claims) => claims[index]?.kind).sort();
      expect(kinds).toEqual(['claimed', ...Array.from({ length: 7 }, () => 'taken')]);
    }
  });

  test('that has run out is given to the next one who asks', async () => {
    const { ids } = await seedDeliveries(1);
    await claimDeliveries(pool, ids, 0);
    const [claim] = await claimDeliveries(pool, ids, leaseMs);
    expect(claim).toMatchObject({ kind: 'claimed', attemptNumber: 1, attemptInRound: 1, trigger: 'change' });
  });

  test('says when a delivery is early, off, without its plan, settled or unknown', async () => {
    const early = await seedDeliveries(1);
    await pool.query(`UPDATE deliveries SET next_attempt_at = now() + interval '1 minute' WHERE id = ANY($1)`, [
      early.ids,
    ]);
    const off = await seedDeliveries(1);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
      off.destinationId,
    ]);
    const unpaid = await seedDeliveries(1);
    await setPlan(unpaid, 'pro');
    const settled = await seedDeliveries(1);
    await pool.query(
      `UPDATE deliveries SET state = 'failed', settled_at = now(), relay_at = NULL, next_attempt_at = NULL
        WHERE id = ANY($1)`,
      [settled.ids],
    );
    const claims = await ask([...early.ids, ...off.ids, ...unpaid.ids, ...settled.ids, 'dlv_unknown']);
    expect(claims).toEqual([
      { kind: 'early', waitMs: expect.any(Number) },
      { kind: 'undeliverable', destinationId: off.destinationId },
      { kind: 'undeliverable', destinationId: unpaid.destinationId },
      { kind: 'settled' },
      { kind: 'settled' },
    ]);
    expect(claims[0]).toHaveProperty('waitMs', expect.closeTo(60_000, -4));
  });

  test('given back after a fault of ours leaves the attempt number as it was', async () => {
    const { ids } = await seedDeliveries(1);
    await releaseDeliveries(pool, await takeClaims(ids, leaseMs));
    const [claim] = await claimDeliveries(pool, ids, leaseMs);
    expect(claim).toMatchObject({ kind: 'claimed', attemptNumber: 1 });
  });

  test('that has run out and was given to another worker cannot be given back by the first', async () => {
    const { ids } = await seedDeliveries(1);
    const first = await takeClaims(ids, 0);
    await takeClaims(ids, leaseMs);
    await releaseDeliveries(pool, first);
    const [third] = await ask(ids);
    expect(third).toMatchObject({ kind: 'taken' });
  });
});

describe('the relay', () => {
  test('hands each delivery over once, however many replicas run it', async () => {
    await relayAll();
    const { ids } = await seedDeliveries(300);
    const handedOver: string[] = [];
    const run = async () => {
      const page = { limit: 20, lookAheadMs: 0, buckets: bucketsOf(0, 1) };
      for (let queued = 1; queued > 0; ) {
        ({ queued } = await relayDeliveries(pool, page, async (batch) => {
          handedOver.push(...batch.map((delivery) => delivery.deliveryId));
        }));
      }
    };
    await Promise.all([run(), run(), run()]);
    expect(handedOver.sort()).toEqual(ids);
  });

  test('hands over at once what was confirmed by a process whose clock is ahead', async () => {
    await relayAll();
    const { ids } = await seedDeliveries(1, new Date(Date.now() + 3_600_000));
    const handedOver: string[] = [];
    await relayAll(async (batch) => void handedOver.push(...batch));
    expect(handedOver).toEqual(ids);
  });

  test('keeps what the queue did not take', async () => {
    const { ids } = await seedDeliveries(3);
    await expect(relayAll(() => Promise.reject(new Error('Redis is away')))).rejects.toThrow('Redis is away');
    const handedOver: string[] = [];
    await relayAll(async (batch) => void handedOver.push(...batch));
    expect(handedOver.sort()).toEqual(ids);
  });

  test('keeps no worker waiting while the queue is slow to answer', async () => {
    const { ids } = await seedDeliveries(2);
    let claims: Awaited<ReturnType<typeof ask>> = [];
    await relayAll(async () => {
      claims = await ask(ids);
    });
    expect(claims.map((claim) => claim?.kind)).toEqual(['claimed', 'claimed']);
  });

  test('leaves alone what a worker has, although the queue seemed not to have taken it', async () => {
    const { ids } = await seedDeliveries(2);
    const relayed = relayAll(async () => {
      await claimDeliveries(pool, ids.slice(0, 1), leaseMs);
      throw new Error('The answer of Redis was lost');
    });
    await expect(relayed).rejects.toThrow('The answer of Redis was lost');
    const handedOver: string[] = [];
    await relayAll(async (batch) => void handedOver.push(...batch));
    expect(handedOver).toEqual(ids.slice(1));
  });

  test('gets back what was deferred, after its wait', async () => {
    const { ids } = await seedDeliveries(1);
    await relayAll();
    await deferDeliveries(pool, [{ deliveryId: ids[0] ?? '', until: { delayMs: 0 } }]);
    const handedOver: string[] = [];
    await relayAll(async (batch) => void handedOver.push(...batch));
    expect(handedOver).toEqual(ids);
  });
});

/** A destination that fails: its first attempts go one at a time. */
async function pace(destinationId: string, untilMs: number): Promise<void> {
  await pool.query(
    `UPDATE destinations SET consecutive_failures = 1, pace_ms = 1000,
            paced_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1`,
    [destinationId, untilMs],
  );
}

async function deferredOf({ ids }: { readonly ids: readonly string[] }): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM deliveries WHERE id = ANY($1) AND relay_at = 'infinity' ORDER BY id`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

async function pacedUntil(destinationId: string): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('SELECT paced_until AS at FROM destinations WHERE id = $1', [
    destinationId,
  ]);
  return rows[0]?.at as Date;
}

describe('of a paced destination', () => {
  test('the claim of a first attempt waits for the pause, and retries, resends and tests do not', async () => {
    const { ids, destinationId } = await seedDeliveries(4);
    const [first, retry, resend, recovered] = ids as [string, string, string, string];
    await pool.query('UPDATE deliveries SET attempt_count = 1 WHERE id = ANY($1)', [[retry, recovered]]);
    await pool.query(`UPDATE deliveries SET trigger = 'resend' WHERE id = $1`, [resend]);
    await pool.query(`UPDATE deliveries SET trigger = 'recover', round_start = 1 WHERE id = $1`, [recovered]);
    await pace(destinationId, 60_000);
    expect((await ask([first, retry, resend, recovered])).map((it) => it?.kind)).toEqual([
      'paced',
      'claimed',
      'claimed',
      'paced',
    ]);
  });

  test('one first attempt gets the turn of many that ask at once, of all workers, and keeps it for its claim', async () => {
    const { ids, destinationId } = await seedDeliveries(20);
    const others = await seedDeliveries(1);
    await pace(destinationId, 0);
    const asked = await Promise.all(Array.from({ length: 5 }, (_, from) => ask(ids.slice(from * 4, from * 4 + 4))));
    const claims = asked.flat().filter((it) => it?.kind === 'claimed');
    expect(claims).toHaveLength(1);
    expect(claims).toMatchObject([{ hasTurn: true, claimedUntil: await pacedUntil(destinationId) }]);
    expect(asked.flat().filter((it) => it?.kind === 'paced')).toHaveLength(19);
    expect(await ask(others.ids)).toMatchObject([{ kind: 'claimed', hasTurn: false }]);
  });

  test('a turn is not spent on a delivery that cannot be claimed', async () => {
    const { ids, destinationId } = await seedDeliveries(2);
    await claimDeliveries(pool, ids.slice(0, 1), leaseMs);
    await pace(destinationId, 0);
    expect((await ask(ids)).map((it) => it?.kind)).toEqual(['taken', 'claimed']);
  });

  test('the turn of a dead worker runs out with its claim, and one given back without an attempt waits a moment', async () => {
    const { ids, destinationId } = await seedDeliveries(3);
    await pace(destinationId, 0);
    await claimDeliveries(pool, ids.slice(0, 1), 0);
    const [second] = await takeClaims(ids.slice(1, 2), leaseMs);
    expect((await ask(ids.slice(2))).map((it) => it?.kind)).toEqual(['paced']);
    await releaseDeliveries(pool, second ? [{ ...second, delayMs: 0 }] : []);
    expect((await ask(ids.slice(2))).map((it) => it?.kind)).toEqual(['claimed']);
  });

  test('the relay defers first attempts and queues retries', async () => {
    await relayAll();
    const paced = await seedDeliveries(3);
    const other = await seedDeliveries(1);
    await pool.query('UPDATE deliveries SET attempt_count = 1 WHERE id = $1', [paced.ids[2]]);
    await pace(paced.destinationId, 60_000);
    const handedOver: string[] = [];
    await relayAll(async (batch) => void handedOver.push(...batch));
    expect(handedOver.sort()).toEqual([paced.ids[2], ...other.ids].sort());
    expect(await deferredOf(paced)).toEqual(paced.ids.slice(0, 2));
  });

  test('deferred deliveries are released one after each pause, the oldest first, and all once it is paced no longer', async () => {
    const paced = await seedDeliveries(5);
    await deferDeliveries(
      pool,
      paced.ids.map((deliveryId) => ({ deliveryId, until: 'pace' })),
    );
    await pace(paced.destinationId, 60_000);
    await releaseDeferred(pool, 100);
    expect(await deferredOf(paced)).toEqual(paced.ids);
    await pace(paced.destinationId, 0);
    await releaseDeferred(pool, 100);
    expect(await deferredOf(paced)).toEqual(paced.ids.slice(1));
    await pool.query('UPDATE destinations SET pace_ms = NULL, paced_until = NULL WHERE id = $1', [paced.destinationId]);
    await pool.query(`UPDATE deliveries SET next_attempt_at = now() - interval '10 minutes' WHERE id = ANY($1)`, [
      paced.ids,
    ]);
    expect(await releaseDeferred(pool, 3)).toBe(3);
    expect(await releaseDeferred(pool, 3)).toBe(1);
    expect(await deferredOf(paced)).toEqual([]);
    const handedOver: string[] = [];
    await relayAll(async (batch) => void handedOver.push(...batch));
    expect(handedOver.sort()).toEqual(paced.ids);
    // What its own destination held back was not late by us.
    const claims = await claimDeliveries(pool, paced.ids.slice(1), leaseMs);
    for (const claim of claims) expect(claim?.ageMs).toBeLessThan(300_000);
  });
});

describe('the sweep', () => {
  test('expects in the queue what was handed over and is due soon, in somebody’s hands when that claim runs out', async () => {
    const { ids } = await seedDeliveries(5);
    const [waiting, claimed, later, deferred, due] = ids as [string, string, string, string, string];
    await relayAll();
    await claimDeliveries(pool, [claimed], leaseMs);
    await pool.query(`UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = $1`, [later]);
    await deferDeliveries(pool, [{ deliveryId: deferred, until: { delayMs: 60_000 } }]);
    const found = (await expectedInQueue(pool, { lookAheadMs: 30_000, limit: 100_000 }))
      .filter(({ deliveryId }) => ids.includes(deliveryId))
      .map(({ deliveryId, delayMs }) => [deliveryId, delayMs]);
    expect(Object.fromEntries(found)).toEqual({
      [waiting]: 0,
      [claimed]: expect.closeTo(leaseMs, -4),
      [due]: 0,
    });
    expect(await stillExpectedInQueue(pool, ids)).toEqual(new Set([waiting, claimed, later, due]));
  });

  test('reads page after page each delivery once, those of one instant and those of others', async () => {
    const { ids } = await seedDeliveries(7);
    await relayAll();
    await pool.query(
      `UPDATE deliveries SET next_attempt_at = next_attempt_at - interval '1 minute' WHERE id = ANY($1)`,
      [ids.slice(4)],
    );
    const read: string[] = [];
    for (let after: SweptDelivery | undefined; ; ) {
      const page = await expectedInQueue(pool, { lookAheadMs: 0, after, limit: 2 });
      read.push(...page.map(({ deliveryId }) => deliveryId).filter((id) => ids.includes(id)));
      after = page.at(-1);
      if (!after) break;
    }
    expect(read).toEqual([...ids.slice(4), ...ids.slice(0, 4)]);
  });

  test('skips what is pending for a destination that is off, but not what is being sent', async () => {
    const { ids, destinationId } = await seedDeliveries(3);
    await claimDeliveries(pool, ids.slice(0, 1), leaseMs);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [destinationId]);
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

  test('leaves a test of a destination that is off to be claimed, alone, and skips it once nothing may be sent there', async () => {
    const { ids, destinationId } = await seedDeliveries(2);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [destinationId]);
    const now = new Date();
    const sample = { deliveryId: newId('dlv', now), changeId: newId('chg', now), now };
    const { id: testId } = await deliveryCommands(database).test({ id: destinationId }, sample);
    expect(await skipUndeliverable(pool, { limit: 10_000 })).toBeGreaterThanOrEqual(2);
    expect(await skipUndeliverable(pool, { limit: 100, destinationIds: [destinationId] })).toBe(0);
    const claim = () => claimDeliveries(pool, [...ids, testId], leaseMs);
    expect((await claim()).map((claimed) => claimed?.deliveryId)).toEqual([undefined, undefined, testId]);
    expect(await explainRefusals(pool, [testId])).toMatchObject([{ kind: 'taken' }]);

    await pool.query('UPDATE deliveries SET claimed_until = NULL WHERE id = $1', [testId]);
    await pool.query('UPDATE destinations SET plan_required = true WHERE id = $1', [destinationId]);
    expect(await claim()).toEqual([undefined, undefined, undefined]);
    expect(await explainRefusals(pool, [testId])).toEqual([{ kind: 'undeliverable', destinationId }]);
    expect(await skipUndeliverable(pool, { limit: 100, destinationIds: [destinationId] })).toBe(1);
  });

  test('skips what is pending for an account that has lost the plan, until it has it again, and nothing of others', async () => {
    const lost = await seedDeliveries(2);
    const kept = await seedDeliveries(1);
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

  test('leaves alone what is pending for a destination that is being switched on just then', async () => {
    const { ids, destinationId } = await seedDeliveries(1);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [destinationId]);
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

  test('goes through the backlog of a destination that is off once for all jobs that it refuses meanwhile', async () => {
    const { ids, destinationId } = await seedDeliveries(5);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [destinationId]);
    const record = createPostgresDeliveryRecord({
      pool,
      monotonic: { nowMs: () => performance.now() },
      leaseMs,
      limits: { warnAt: [], switchOffAfter: 20, pace: paceLimits([]) },
      signal: new AbortController().signal,
      onTrouble: () => undefined,
    });
    const statements = jest.spyOn(pool, 'query');
    const refuseAll = () => Promise.all(ids.map(() => record.skipUndeliverable(destinationId)));
    await refuseAll();
    expect(statements).toHaveBeenCalledTimes(1);
    await pool.query(
      `UPDATE deliveries SET state = 'pending', skipped_reason = NULL, settled_at = NULL, next_attempt_at = now()
        WHERE id = ANY($1)`,
      [ids],
    );
    await refuseAll();
    statements.mockRestore();
    const { rows } = await pool.query('SELECT DISTINCT state FROM deliveries WHERE id = ANY($1)', [ids]);
    expect(rows).toEqual([{ state: 'skipped' }]);
  });

  test('skips no more than it is asked for at once, and all in the end', async () => {
    const seeds = await Promise.all([seedDeliveries(5), seedDeliveries(5)]);
    const destinationIds = seeds.map(({ destinationId }) => destinationId);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = ANY($1)`, [
      destinationIds,
    ]);
    const skipped = [];
    for (let time = 0; time < 3; time += 1) skipped.push(await skipUndeliverable(pool, { limit: 4, destinationIds }));
    expect(skipped).toEqual([4, 4, 2]);
  });
});
