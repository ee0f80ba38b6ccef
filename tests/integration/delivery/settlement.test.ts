import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { type Settlement, settleAttempts } from '@artist-watch/delivery/store/settlement';
import { paceLimits, WARN_AT } from '@artist-watch/domain/delivery/retry-schedule';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { countAttempt, type FailureNotice, type FailureRun } from './failure-run.oracle.js';

const pace = paceLimits([60_000]);
const limits = { warnAt: WARN_AT, switchOffAfter: 20, pace };
const leaseMs = 30_000;
let pool: pg.Pool;

beforeAll(async () => {
  ({ pool } = await useSuite());
});

async function seedDeliveries(count: number, consecutiveFailures = 0) {
  const seeded = await seedDestination(pool, { consecutiveFailures });
  const changeIds = await seedConfirmedChanges(pool, seeded.artistId, count);
  await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM deliveries WHERE destination_id = $1 ORDER BY change_id',
    [seeded.destinationId],
  );
  return { ...seeded, deliveryIds: rows.map((row) => row.id) };
}

type Seeded = Awaited<ReturnType<typeof seedDeliveries>>;

/** Of a retry of one of its deliveries, by place: whatever its destination's pace is, it counts. */
function settlement(
  { deliveryIds, destinationId }: Seeded,
  place: number,
  outcome: 'succeeded' | 'failed',
  { isFirst = false, hadTurn = false, endedAgoMs = 3 } = {},
): Settlement {
  const failed = outcome === 'failed';
  return {
    deliveryId: deliveryIds[place] ?? '',
    destinationId,
    attemptNumber: 1,
    outcome,
    blame: failed ? 'receiver' : null,
    statusCode: failed ? 500 : 204,
    error: failed ? 'unexpected_status' : null,
    reason: failed ? 'The receiver answered 500, not 2xx.' : null,
    responseExcerpt: null,
    durationMs: 12,
    endedAgoMs,
    counts: true,
    isFirst,
    hadTurn,
    next: failed ? { state: 'pending', delayMs: 60_000, inQueue: true } : { state: 'succeeded' },
  };
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

async function deliveries({ deliveryIds }: Seeded) {
  const { rows } = await pool.query(
    `SELECT state, skipped_reason, attempt_count AS attempts, next_attempt_at IS NOT NULL AS waits,
            settled_at IS NOT NULL AS is_settled
       FROM deliveries WHERE id = ANY($1) ORDER BY change_id`,
    [deliveryIds],
  );
  return rows;
}

/** Starts work that waits for a destination's row, which somebody changes just then. */
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
  test('is recorded with its number, instants, outcome and blame, and its delivery goes on at exactly the delay', async () => {
    const seeded = await seedDeliveries(1);
    const [id = ''] = seeded.deliveryIds;
    await claimDeliveries(pool, [id], leaseMs);
    const { results } = await settleAttempts(pool, [settlement(seeded, 0, 'failed')], limits);
    const { destinationId } = seeded;
    expect(results).toEqual([{ kind: 'settled', destinationId, state: 'pending', retryInMs: expect.any(Number) }]);
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

  test('that another worker settled before changes nothing and says so', async () => {
    const seeded = await seedDeliveries(1);
    await settleAttempts(pool, [settlement(seeded, 0, 'failed')], limits);
    const late = await settleAttempts(pool, [settlement(seeded, 0, 'succeeded')], limits);
    expect(late.results).toEqual([{ kind: 'superseded' }]);
    const { rows } = await pool.query('SELECT number, outcome FROM attempts WHERE delivery_id = $1', [
      seeded.deliveryIds[0],
    ]);
    expect(rows).toEqual([{ number: 1, outcome: 'failed' }]);
    expect(await destination(seeded.destinationId)).toMatchObject({ consecutive_failures: 1 });
  });

  test('kept in the record waits for the relay at the very instant of its retry', async () => {
    const seeded = await seedDeliveries(1);
    const deferred: Settlement = {
      ...settlement(seeded, 0, 'failed'),
      next: { state: 'pending', delayMs: 300_000, inQueue: false },
    };
    await settleAttempts(pool, [deferred], limits);
    const { rows } = await pool.query('SELECT relay_at = next_attempt_at AS same FROM deliveries WHERE id = $1', [
      deferred.deliveryId,
    ]);
    expect(rows).toEqual([{ same: true }]);
  });

  test.each([
    ['off', `state = 'off', switched_off_at = now()`, 'destination_off'],
    ['deleted', 'deleted_at = now()', 'destination_deleted'],
    ['without its plan', 'plan_required = true', 'plan_required'],
  ])(
    'that would be made again is skipped when its destination is %s by then, and counts no more',
    async (_, gone, reason) => {
      const seeded = await seedDeliveries(3, 7);
      await claimDeliveries(pool, seeded.deliveryIds, leaseMs);
      await pool.query(`UPDATE destinations SET ${gone} WHERE id = $1`, [seeded.destinationId]);
      const last = { ...settlement(seeded, 1, 'failed'), next: { state: 'failed' } } as const;
      const ended = [settlement(seeded, 0, 'failed'), last, settlement(seeded, 2, 'succeeded')];
      const { results } = await settleAttempts(pool, ended, limits);
      const { destinationId } = seeded;
      expect(results).toEqual(
        ['skipped', 'failed', 'succeeded'].map((state) => ({ kind: 'settled', destinationId, state, retryInMs: null })),
      );
      expect(await deliveries(seeded)).toEqual([
        { state: 'skipped', skipped_reason: reason, attempts: 1, waits: false, is_settled: true },
        { state: 'failed', skipped_reason: null, attempts: 1, waits: false, is_settled: true },
        { state: 'succeeded', skipped_reason: null, attempts: 1, waits: false, is_settled: true },
      ]);
      expect(await destination(destinationId)).toMatchObject({ consecutive_failures: 7, notices: null });
    },
  );

  test('is skipped also when the switch-off was on its way before it', async () => {
    const seeded = await seedDeliveries(1);
    const settled = await whileLocked(seeded.destinationId, `state = 'off', switched_off_at = now()`, () =>
      settleAttempts(pool, [settlement(seeded, 0, 'failed')], limits),
    );
    expect(settled.results).toMatchObject([{ state: 'skipped', retryInMs: null }]);
    expect(await deliveries(seeded)).toMatchObject([{ state: 'skipped', skipped_reason: 'destination_off' }]);
  });

  test('counts when its destination was switched on right before it', async () => {
    const seeded = await seedDeliveries(1, 20);
    await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
      seeded.destinationId,
    ]);
    const on = `state = 'active', consecutive_failures = 0, switched_off_at = NULL`;
    const settled = await whileLocked(seeded.destinationId, on, () =>
      settleAttempts(pool, [settlement(seeded, 0, 'failed')], limits),
    );
    expect(settled.results).toMatchObject([{ state: 'pending' }]);
    expect(await destination(seeded.destinationId)).toMatchObject({ state: 'active', consecutive_failures: 1 });
  });
});

describe('the run of failures', () => {
  test('agrees with counting one by one for every order of attempts in every cut into batches', async () => {
    const attempt = fc.record({
      outcome: fc.constantFrom('failed' as const, 'failed' as const, 'failed' as const, 'succeeded' as const),
      isFirst: fc.boolean(),
      hadTurn: fc.boolean(),
    });
    const cases = fc.array(fc.array(attempt, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      // A run may be longer than a threshold that was lowered since.
      fc.asyncProperty(cases, fc.nat(30), fc.integer({ min: 1, max: 25 }), async (batches, before, switchOffAfter) => {
        const seeded = await seedDeliveries(batches.flat().length, before);
        const limits = { warnAt: WARN_AT, switchOffAfter, pace };
        let run: FailureRun = { consecutiveFailures: before, off: false, paceMs: null };
        const notices: FailureNotice[] = [];
        let next = 0;
        for (const batch of batches) {
          const attempts = batch.map((given) => ({ ...given, hadTurn: given.isFirst && given.hadTurn }));
          const settlements = attempts.map((given) => settlement(seeded, next++, given.outcome, given));
          await settleAttempts(pool, settlements, limits);
          for (const given of attempts) {
            const step = countAttempt(run, given, limits);
            run = step.run;
            if (step.notice) notices.push(step.notice);
          }
        }
        const row = await destination(seeded.destinationId);
        expect(row).toMatchObject({
          state: run.off ? 'off' : 'active',
          consecutive_failures: run.consecutiveFailures,
          pace_ms: run.paceMs,
        });
        // A run that warns twice in one batch is reported once.
        const reported = notices.map(({ kind, consecutiveFailures }) => `${kind}:${consecutiveFailures}`);
        expect(new Set(row?.notices ?? [])).toEqual(new Set(reported));
      }),
      { numRuns: 80 },
    );
  });

  test('that is longer than a threshold which was lowered since is ended by a success, and crosses it with a failure', async () => {
    const ended = await seedDeliveries(1, 25);
    const crossing = await seedDeliveries(1, 25);
    const settled = await settleAttempts(
      pool,
      [settlement(ended, 0, 'succeeded'), settlement(crossing, 0, 'failed')],
      limits,
    );
    expect(settled.switchedOff).toEqual([{ destinationId: crossing.destinationId, consecutiveFailures: 26 }]);
    expect(await destination(ended.destinationId)).toMatchObject({ state: 'active', consecutive_failures: 0 });
    expect(await destination(crossing.destinationId)).toMatchObject({ state: 'off', consecutive_failures: 26 });
  });

  test('switches a destination off exactly once at 20, whatever settles at the same moment', async () => {
    const seeded = await seedDeliveries(40);
    const { destinationId } = seeded;
    const batches = Array.from({ length: 20 }, (_, index) => [index * 2, index * 2 + 1]);
    const settled = await Promise.all(
      batches.map((places) =>
        settleAttempts(
          pool,
          places.map((place) => settlement(seeded, place, 'failed')),
          limits,
        ),
      ),
    );
    expect(settled.flatMap((batch) => batch.switchedOff)).toEqual([{ destinationId, consecutiveFailures: 20 }]);
    // Which batch comes to the row first is for PostgreSQL to say.
    const warnedAt = settled.flatMap((batch) => batch.warned).map(({ consecutiveFailures }) => consecutiveFailures);
    expect(warnedAt.sort()).toEqual([10, 15]);
    expect(await destination(destinationId)).toEqual({
      state: 'off',
      consecutive_failures: 20,
      switched_off_reason: '20 failures in a row',
      pace_ms: null,
      notices: ['warning:10', 'warning:15', 'switched_off:20'],
    });
  });

  test('batches that touch the same destinations in opposite order never wait for each other in a circle', async () => {
    const seeds = await Promise.all(Array.from({ length: 6 }, () => seedDeliveries(10)));
    const rounds = Array.from({ length: 10 }, (_, round) => {
      const order = round % 2 === 0 ? seeds : [...seeds].reverse();
      return order.map((seed) => settlement(seed, round, 'failed'));
    });
    await Promise.all(rounds.map((round) => settleAttempts(pool, round, limits)));
    for (const seed of seeds) expect(await destination(seed.destinationId)).toMatchObject({ consecutive_failures: 10 });
  });

  test('does not count a test or a resend', async () => {
    const seeded = await seedDeliveries(2, 3);
    const uncounted = (['failed', 'succeeded'] as const).map((outcome, place) => ({
      ...settlement(seeded, place, outcome),
      counts: false,
    }));
    await settleAttempts(pool, uncounted, limits);
    expect(await destination(seeded.destinationId)).toMatchObject({ consecutive_failures: 3 });
  });
});

describe('the pacing of a destination', () => {
  const first = { isFirst: true } as const;
  const withTurn = { isFirst: true, hadTurn: true } as const;
  const paceOf = async ({ destinationId }: Seeded) => {
    const { rows } = await pool.query<{ pace_ms: number | null; pause_ms: number | null; failures: number }>(
      `SELECT t.pace_ms, t.consecutive_failures AS failures,
              (SELECT round(extract(epoch FROM t.paced_until - max(a.ended_at)) * 1000)::int FROM attempts a
                 JOIN deliveries d ON d.id = a.delivery_id WHERE d.destination_id = t.id AND a.outcome = 'failed') AS pause_ms
         FROM destinations t WHERE t.id = $1`,
      [destinationId],
    );
    return rows[0];
  };

  test('begins with a failed first attempt, and each further one doubles its pause, from its end to the longest', async () => {
    const seeded = await seedDeliveries(8);
    const pauses: (number | null | undefined)[] = [];
    for (let place = 0; place < 8; place += 1) {
      const kind = place === 0 ? first : withTurn;
      await settleAttempts(pool, [settlement(seeded, place, 'failed', kind)], limits);
      const pace = await paceOf(seeded);
      expect(pace?.pause_ms).toBe(pace?.pace_ms);
      pauses.push(pace?.pace_ms);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('is neither begun nor changed by a failed retry, and ended by any success', async () => {
    const seeded = await seedDeliveries(4);
    await settleAttempts(pool, [settlement(seeded, 0, 'failed')], limits);
    expect(await paceOf(seeded)).toMatchObject({ pace_ms: null, failures: 1 });
    await settleAttempts(pool, [settlement(seeded, 1, 'failed', first)], limits);
    await settleAttempts(pool, [settlement(seeded, 2, 'failed')], limits);
    expect(await paceOf(seeded)).toMatchObject({ pace_ms: 1_000, failures: 3 });
    await settleAttempts(pool, [settlement(seeded, 3, 'succeeded')], limits);
    expect(await paceOf(seeded)).toEqual({ pace_ms: null, pause_ms: null, failures: 0 });
  });

  test('takes a burst that was on the wire when it began for one failure, and each is retried all the same', async () => {
    const seeded = await seedDeliveries(25);
    const burst = seeded.deliveryIds.map((_, place) => settlement(seeded, place, 'failed', first));
    await settleAttempts(pool, burst.slice(0, 10), limits);
    await Promise.all([
      settleAttempts(pool, burst.slice(10, 18), limits),
      settleAttempts(pool, burst.slice(18), limits),
    ]);
    expect(await paceOf(seeded)).toMatchObject({ pace_ms: 1_000, failures: 1 });
    expect(await deliveries(seeded)).toEqual(
      burst.map(() => ({ state: 'pending', skipped_reason: null, attempts: 1, waits: true, is_settled: false })),
    );
  });
});
