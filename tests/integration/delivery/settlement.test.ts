import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { settleAttempts } from '@artist-watch/delivery/store/settlement';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
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
import { type DestinationState, type FailureNotice, settleOneByOne } from './failure-run.oracle.js';
import { type FakeClock, startFakeClock } from './fake-clock.js';

const leaseMs = 30_000;
let pool: pg.Pool;
let clock: FakeClock;

beforeAll(async () => {
  const suite = await useSuite();
  ({ pool } = suite);
  const started = await startFakeClock(suite.databaseUrl);
  suite.onEnd(() => started.close());
  clock = started;
});

function first(
  { ids, destinationId }: SeededDeliveries,
  place: number,
  ...given: [outcome: 'succeeded' | 'failed', changed?: Parameters<typeof decideSettlement>[3]]
) {
  return decideSettlement(destinationId, ids[place] ?? '', ...given);
}

async function destination(id: string) {
  const { rows } = await pool.query(
    `SELECT state, consecutive_failures, switched_off_reason, pace_ms,
            (SELECT array_agg(kind || ':' || consecutive_failures ORDER BY n.id) FROM destination_notices n
              WHERE n.destination_id = t.id) AS notices
       FROM destinations t WHERE id = $1`,
    [id],
  );
  return rows[0];
}

async function deliveries({ ids }: SeededDeliveries) {
  const { rows } = await pool.query(
    `SELECT state, skipped_reason, attempt_count AS attempts, next_attempt_at IS NOT NULL AS waits,
            settled_at IS NOT NULL AS is_settled
       FROM deliveries WHERE id = ANY($1) ORDER BY array_position($1, id)`,
    [ids],
  );
  return rows;
}

/** The work waits for the destination's row while another transaction changes it. */
async function whileLocked<Result>(destinationId: string, change: string, work: () => Promise<Result>) {
  let running: Promise<Result> | undefined;
  await inTransaction(pool, async (client) => {
    await client.query(`UPDATE destinations SET ${change} WHERE id = $1`, [destinationId]);
    running = work();
    await until('the settlement to wait for the destination', async () => {
      const { rows } = await pool.query(
        `SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%attempt_outcome%'`,
      );
      return rows.length > 0;
    });
  });
  return running as Promise<Result>;
}

describe('a settled attempt', () => {
  test('an attempt is stored with its number, times, outcome and blame, and its retry is due exactly after the delay', async () => {
    const seeded = await seedReleased(pool, 1);
    const [id = ''] = seeded.ids;
    await claimDeliveries(pool, [id], leaseMs);
    const { results } = await settleAttempts(pool, [first(seeded, 0, 'failed')], LIMITS);
    expect(results).toEqual([{ state: 'pending', retryInMs: expect.closeTo(60_000, -4) }]);
    const { rows } = await pool.query(
      `SELECT d.state, d.attempt_count, d.relay_at, d.claimed_until, d.last_failure, a.number, a.outcome, a.blame, a.status_code, a.error,
              extract(epoch FROM d.next_attempt_at - a.ended_at)::float8 AS delay_s,
              extract(epoch FROM a.ended_at - a.started_at)::float8 AS took_s
         FROM deliveries d JOIN attempts a ON a.delivery_id = d.id WHERE d.id = $1`,
      [id],
    );
    expect(rows).toEqual([
      {
        state: 'pending',
        attempt_count: 1,
        relay_at: null,
        claimed_until: null,
        last_failure: 'unexpected_status:5xx',
        number: 1,
        outcome: 'failed',
        blame: 'receiver',
        status_code: 500,
        error: 'unexpected_status',
        delay_s: 60,
        took_s: 0.012,
      },
    ]);
  });

  test('an attempt that another worker has already settled changes nothing and has no result', async () => {
    const seeded = await seedReleased(pool, 1);
    await settleAttempts(pool, [first(seeded, 0, 'failed')], LIMITS);
    const late = await settleAttempts(pool, [first(seeded, 0, 'succeeded')], LIMITS);
    expect(late).toEqual({ results: [undefined], longRuns: [], released: [] });
    const { rows } = await pool.query('SELECT number, outcome FROM attempts WHERE delivery_id = $1', [seeded.ids[0]]);
    expect(rows).toEqual([{ number: 1, outcome: 'failed' }]);
    expect(await destination(seeded.destinationId)).toMatchObject({ consecutive_failures: 1 });
  });

  test.each([
    ['off', `state = 'off', switched_off_at = now()`, 'destination_off'],
    ['deleted', 'deleted_at = now()', 'destination_deleted'],
    ['not in the plan', 'plan_required = true', 'plan_required'],
  ])(
    'a failed attempt is not retried if its destination is %s by then, and does not count',
    async (_, gone, reason) => {
      const seeded = await seedReleased(pool, 3, { consecutiveFailures: 7 });
      await claimDeliveries(pool, seeded.ids, leaseMs);
      await pool.query(`UPDATE destinations SET ${gone} WHERE id = $1`, [seeded.destinationId]);
      const last = first(seeded, 1, 'failed', { nextState: 'failed', retryDelayMs: null });
      const ended = [first(seeded, 0, 'failed'), last, first(seeded, 2, 'succeeded')];
      const { results } = await settleAttempts(pool, ended, LIMITS);
      expect(results).toEqual(['skipped', 'failed', 'succeeded'].map((state) => ({ state, retryInMs: null })));
      expect(await deliveries(seeded)).toEqual([
        { state: 'skipped', skipped_reason: reason, attempts: 1, waits: false, is_settled: true },
        { state: 'failed', skipped_reason: null, attempts: 1, waits: false, is_settled: true },
        { state: 'succeeded', skipped_reason: null, attempts: 1, waits: false, is_settled: true },
      ]);
      expect(await destination(seeded.destinationId)).toMatchObject({ consecutive_failures: 7, notices: null });
      expect(await destinationRow(pool, seeded.destinationId)).toMatchObject({ inFlight: 0 });
    },
  );

  test('a failed attempt is not retried if its destination is being switched off when the settlement starts', async () => {
    const seeded = await seedReleased(pool, 1);
    const settled = await whileLocked(seeded.destinationId, `state = 'off', switched_off_at = now()`, () =>
      settleAttempts(pool, [first(seeded, 0, 'failed')], LIMITS),
    );
    expect(settled.results).toMatchObject([{ state: 'skipped', retryInMs: null }]);
    expect(await deliveries(seeded)).toMatchObject([{ state: 'skipped', skipped_reason: 'destination_off' }]);
  });

  test('a failed attempt counts if its destination was switched on just before the settlement', async () => {
    const seeded = await seedReleased(pool, 1, { consecutiveFailures: 20 });
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
      seeded.destinationId,
    ]);
    const on = `state = 'active', consecutive_failures = 0, switched_off_at = NULL`;
    const settled = await whileLocked(seeded.destinationId, on, () =>
      settleAttempts(pool, [first(seeded, 0, 'failed')], LIMITS),
    );
    expect(settled.results).toMatchObject([{ state: 'pending' }]);
    expect(await destination(seeded.destinationId)).toMatchObject({ state: 'active', consecutive_failures: 1 });
  });
});

describe('the settlement of a batch', () => {
  test('settling a batch has the same result as settling its attempts one by one', async () => {
    const attempt = fc.record({
      outcome: fc.constantFrom('failed' as const, 'failed' as const, 'failed' as const, 'succeeded' as const),
      counts: fc.constantFrom(true, true, true, false),
      isFirst: fc.boolean(),
    });
    const batch = fc.record({
      attempts: fc.array(attempt, { minLength: 1, maxLength: 12 }),
      // The batch ends during the previous batch's pause, at its end, or later.
      afterMs: fc.constantFrom(1, 900, 1_000, 5_000, 40_000, 3_600_000),
    });
    const cases = fc.record({
      batches: fc.array(batch, { minLength: 1, maxLength: 5 }),
      // A destination can have more consecutive failures than the threshold if the threshold was lowered later.
      failuresBefore: fc.nat(30),
      switchOffAfter: fc.integer({ min: 1, max: 25 }),
      waiting: fc.nat(12),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ batches, failuresBefore, switchOffAfter, waiting }) => {
        const limits = { ...LIMITS, switchOffAfter };
        const attempts = batches.flatMap((one) => one.attempts);
        const seeded = await seedWaiting(clock.pool, attempts.length + waiting, {
          consecutiveFailures: failuresBefore,
        });
        const { destinationId } = seeded;
        // Retries are released but not in flight.
        const onTheWire = seeded.ids.slice(waiting);
        const retries = onTheWire.filter((_, index) => !attempts[index]?.isFirst);
        await releaseRows(clock.pool, seeded, onTheWire);
        await clock.pool.query('UPDATE deliveries SET attempt_count = 1 WHERE id = ANY($1)', [retries]);
        await clock.pool.query(`UPDATE deliveries SET trigger = 'resend' WHERE id = ANY($1)`, [
          onTheWire.filter((_, index) => !attempts[index]?.counts),
        ]);
        const inFlight = attempts.filter(({ isFirst, counts }) => isFirst && counts).length;
        await clock.pool.query('UPDATE destinations SET in_flight = $2 WHERE id = $1', [destinationId, inFlight]);

        let state: DestinationState = {
          ...{ consecutiveFailures: failuresBefore, off: false, pause: null },
          ...{ inFlight, waiting },
        };
        const notices: FailureNotice[] = [];
        const released: string[] = [];
        let next = 0;
        for (const one of batches) {
          await clock.moveTo(clock.nowMs() + one.afterMs);
          const settlements = one.attempts.map(({ outcome, counts, isFirst }) =>
            decideSettlement(destinationId, onTheWire[next++] ?? '', outcome, {
              attemptNumber: isFirst ? 1 : 2,
              counts,
              endedAgoMs: 0,
            }),
          );
          const settled = await settleAttempts(clock.pool, settlements, limits);
          const expected = settleOneByOne(state, one.attempts, clock.nowMs(), limits);
          state = expected.state;
          notices.push(...expected.notices);
          released.push(...settled.released.map(({ deliveryId }) => deliveryId));
          expect(settled.released).toHaveLength(expected.released);
          const row = await destinationRow(clock.pool, destinationId);
          expect(row).toMatchObject({
            ...{ state: state.off ? 'off' : 'active', failures: state.consecutiveFailures, inFlight: state.inFlight },
            ...(!state.off && {
              paceMs: state.pause?.lengthMs ?? null,
              pausedForMs: state.pause && state.pause.untilMs - clock.nowMs(),
            }),
          });
        }
        // The oldest deliveries are released first.
        expect(released.sort()).toEqual(seeded.ids.slice(0, waiting - state.waiting).sort());
        // If consecutive failures cause the same warning twice in one batch, it is reported once.
        const reported = notices.map(({ kind, consecutiveFailures }) => `${kind}:${consecutiveFailures}`);
        expect(new Set((await destination(destinationId))?.notices ?? [])).toEqual(new Set(reported));
      }),
      { numRuns: 80 },
    );
  });

  test('if failures in a row exceed a lowered threshold, a success resets them, and a failure switches the destination off', async () => {
    const ended = await seedReleased(pool, 1, { consecutiveFailures: 25 });
    const crossing = await seedReleased(pool, 1, { consecutiveFailures: 25 });
    const settled = await settleAttempts(pool, [first(ended, 0, 'succeeded'), first(crossing, 0, 'failed')], LIMITS);
    const { destinationId, accountId } = crossing;
    expect(settled.longRuns).toEqual([{ destinationId, accountId, kind: 'switched_off', consecutiveFailures: 26 }]);
    expect(await destination(ended.destinationId)).toMatchObject({ state: 'active', consecutive_failures: 0 });
    expect(await destination(crossing.destinationId)).toMatchObject({ state: 'off', consecutive_failures: 26 });
  });

  test('a destination is switched off exactly once, after 20 failures, even if settlements are concurrent', async () => {
    const seeded = await seedReleased(pool, 40);
    const { destinationId, accountId } = seeded;
    const batches = Array.from({ length: 20 }, (_, index) => [index * 2, index * 2 + 1]);
    const settled = await Promise.all(
      batches.map((places) =>
        settleAttempts(
          pool,
          places.map((place) => first(seeded, place, 'failed')),
          LIMITS,
        ),
      ),
    );
    const longRuns = settled
      .flatMap((batch) => batch.longRuns)
      .sort((a, b) => a.consecutiveFailures - b.consecutiveFailures);
    expect(longRuns).toEqual([
      { destinationId, accountId, kind: 'warned', consecutiveFailures: 10 },
      { destinationId, accountId, kind: 'warned', consecutiveFailures: 15 },
      { destinationId, accountId, kind: 'switched_off', consecutiveFailures: 20 },
    ]);
    expect(await destination(destinationId)).toEqual({
      state: 'off',
      consecutive_failures: 20,
      switched_off_reason: expect.stringMatching(/^Switched off after 20 failed attempts in a row; the last .*\.$/),
      pace_ms: null,
      notices: ['warning:10', 'warning:15', 'switched_off:20'],
    });
  });

  test('batches with the same destinations in opposite order never deadlock', async () => {
    const seeds = await Promise.all(Array.from({ length: 6 }, () => seedReleased(pool, 10)));
    const rounds = Array.from({ length: 10 }, (_, round) => {
      const order = round % 2 === 0 ? seeds : [...seeds].reverse();
      return order.map((seed) => first(seed, round, 'failed'));
    });
    await Promise.all(rounds.map((round) => settleAttempts(pool, round, LIMITS)));
    for (const seed of seeds) expect(await destination(seed.destinationId)).toMatchObject({ consecutive_failures: 10 });
  });

  test('the settlement of a batch does not count a test or a resend', async () => {
    const seeded = await seedReleased(pool, 2, { consecutiveFailures: 3 });
    const uncounted = (['failed', 'succeeded'] as const).map((outcome, place) =>
      first(seeded, place, outcome, { counts: false }),
    );
    await settleAttempts(pool, uncounted, LIMITS);
    expect(await destination(seeded.destinationId)).toMatchObject({ consecutive_failures: 3, pace_ms: null });
  });
});

describe('the pause of a failing destination', () => {
  /** Settles a failure that ends now, and moves the clock to the end of the pause. */
  async function failOnce(seeded: SeededDeliveries, place: number, changed?: Parameters<typeof decideSettlement>[3]) {
    await settleAttempts(clock.pool, [first(seeded, place, 'failed', { endedAgoMs: 0, ...changed })], LIMITS);
    const row = await destinationRow(clock.pool, seeded.destinationId);
    await clock.moveTo(clock.nowMs() + Math.max(0, row.pausedForMs ?? 0));
    return row.pausedForMs;
  }

  test('the pause grows with each failure after its end: 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, and stays at 30 min', async () => {
    const seeded = await seedReleased(clock.pool, 8);
    const pauses = [];
    for (let place = 0; place < 8; place += 1) pauses.push(await failOnce(seeded, place));
    expect(pauses).toEqual([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 1_800_000, 1_800_000]);
  });

  test('the pause is neither extended nor restarted by a failure during it, but each failure counts', async () => {
    const seeded = await seedReleased(clock.pool, 4);
    await settleAttempts(clock.pool, [first(seeded, 0, 'failed', { endedAgoMs: 0 })], LIMITS);
    await clock.moveTo(clock.nowMs() + 999);
    const others = [1, 2, 3].map((place) => first(seeded, place, 'failed', { endedAgoMs: 0 }));
    await settleAttempts(clock.pool, others, LIMITS);
    expect(await destinationRow(clock.pool, seeded.destinationId)).toMatchObject({
      ...{ failures: 4, paceMs: 1_000, pausedForMs: 1 },
    });
  });

  test('the pause also begins with a failed retry, and any success ends it, including that of a retry', async () => {
    const seeded = await seedReleased(clock.pool, 2);
    await clock.pool.query('UPDATE deliveries SET attempt_count = 1 WHERE id = ANY($1)', [seeded.ids]);
    expect(await failOnce(seeded, 0, { attemptNumber: 2 })).toBe(1_000);
    await settleAttempts(clock.pool, [first(seeded, 1, 'succeeded', { attemptNumber: 2 })], LIMITS);
    expect(await destinationRow(clock.pool, seeded.destinationId)).toMatchObject({
      ...{ failures: 0, paceMs: null, pausedForMs: null },
    });
  });

  test('the pause is ended by a successful retry, which releases two waiting deliveries', async () => {
    const seeded = await seedWaiting(pool, 6);
    await releaseRows(pool, seeded, seeded.ids.slice(5));
    const settle = (attemptNumber: number, outcome: 'succeeded' | 'failed') =>
      settleAttempts(
        pool,
        [first(seeded, 5, outcome, { attemptNumber, retryDelayMs: outcome === 'failed' ? 0 : null })],
        LIMITS,
      );
    expect((await settle(1, 'failed')).released).toEqual([]);
    expect((await settle(2, 'succeeded')).released.map(({ deliveryId }) => deliveryId).sort()).toEqual(
      seeded.ids.slice(0, 2),
    );
    expect(await destinationRow(pool, seeded.destinationId)).toMatchObject({ inFlight: 2, paceMs: null, failures: 0 });
  });
});

describe('the release window', () => {
  test('the release window grows by one with each success, up to 8; then one delivery is released for each that ends', async () => {
    const seeded = await seedWaiting(pool, 60);
    const { destinationId } = seeded;
    await releaseRows(pool, seeded, seeded.ids.slice(0, 2));
    let inFlight = seeded.ids.slice(0, 2);
    const sizes: number[] = [];
    while (sizes.length < 12) {
      const [ended = '', ...others] = inFlight;
      const { released } = await settleAttempts(pool, [decideSettlement(destinationId, ended, 'succeeded')], LIMITS);
      inFlight = [...others, ...released.map(({ deliveryId }) => deliveryId)];
      sizes.push((await destinationRow(pool, destinationId)).inFlight);
      expect(inFlight).toHaveLength(sizes.at(-1) ?? 0);
    }
    expect(sizes).toEqual([3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8]);
  });

  test('the release window releases each waiting delivery once, even if settlements are concurrent', async () => {
    const seeded = await seedWaiting(pool, 40);
    const { destinationId } = seeded;
    await releaseRows(pool, seeded, seeded.ids.slice(0, 8));
    const settled = await Promise.all(
      seeded.ids
        .slice(0, 8)
        .map((id) => settleAttempts(pool, [decideSettlement(destinationId, id, 'succeeded')], LIMITS)),
    );
    const released = settled.flatMap((batch) => batch.released.map(({ deliveryId }) => deliveryId));
    expect(new Set(released).size).toBe(released.length);
    expect(await destinationRow(pool, destinationId)).toMatchObject({ inFlight: released.length });
    expect(released.length).toBeLessThanOrEqual(8);
    expect(await countDeliveries(pool, destinationId, `relay_at IS NOT NULL`)).toBe(40 - 8 - released.length);
  });
});
