import { settleOutcome, WARN_AT } from '@artist-watch/domain/delivery/failure-run';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { claimDeliveries } from '@artist-watch/persistence/delivery/claims';
import { type Settlement, settleAttempts } from '@artist-watch/persistence/delivery/settlement';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';

const limits = { warnAt: WARN_AT, switchOffAfter: 20 };
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

function settlement(deliveryId: string, outcome: 'succeeded' | 'failed', attemptNumber = 1): Settlement {
  const failed = outcome === 'failed';
  return {
    deliveryId,
    attemptNumber,
    outcome,
    blame: failed ? 'receiver' : null,
    statusCode: failed ? 500 : 204,
    error: failed ? 'unexpected_status' : null,
    reason: failed ? 'The receiver answered 500, not 2xx.' : null,
    responseExcerpt: null,
    durationMs: 12,
    endedAgoMs: 3,
    counts: true,
    next: failed ? { state: 'pending', delayMs: 60_000, keptIn: 'queue' } : { state: 'succeeded' },
  };
}

async function destination(id: string) {
  const { rows } = await pool.query(
    `SELECT state, consecutive_failures, switched_off_reason,
            (SELECT array_agg(kind || ':' || consecutive_failures ORDER BY n.id) FROM destination_notices n
              WHERE n.destination_id = t.id) AS notices
       FROM destinations t WHERE id = $1`,
    [id],
  );
  return rows[0];
}

describe('a settled attempt', () => {
  test('is recorded with its number, instants, outcome and blame, and its delivery goes on at exactly the delay', async () => {
    const { deliveryIds } = await seedDeliveries(1);
    const [id = ''] = deliveryIds;
    await claimDeliveries(pool, [id], leaseMs);
    const { results } = await settleAttempts(pool, [settlement(id, 'failed')], limits);
    expect(results).toEqual([{ kind: 'settled', destinationId: expect.any(String), retryInMs: expect.any(Number) }]);
    const { rows } = await pool.query(
      `SELECT d.state, d.attempt_count, d.relay_at, d.claimed_until, a.number, a.outcome, a.blame, a.status_code, a.error,
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

  test('that another worker settled before changes nothing and is told so', async () => {
    const { deliveryIds, destinationId } = await seedDeliveries(1);
    const [id = ''] = deliveryIds;
    await settleAttempts(pool, [settlement(id, 'failed')], limits);
    const late = await settleAttempts(pool, [settlement(id, 'succeeded')], limits);
    expect(late.results).toEqual([{ kind: 'superseded' }]);
    const { rows } = await pool.query('SELECT number, outcome FROM attempts WHERE delivery_id = $1', [id]);
    expect(rows).toEqual([{ number: 1, outcome: 'failed' }]);
    expect(await destination(destinationId)).toMatchObject({ consecutive_failures: 1 });
  });

  test('kept in the record waits for the relay at the very instant of its retry', async () => {
    const { deliveryIds } = await seedDeliveries(1);
    const [id = ''] = deliveryIds;
    const parked: Settlement = {
      ...settlement(id, 'failed'),
      next: { state: 'pending', delayMs: 300_000, keptIn: 'record' },
    };
    await settleAttempts(pool, [parked], limits);
    const { rows } = await pool.query('SELECT relay_at = next_attempt_at AS same FROM deliveries WHERE id = $1', [id]);
    expect(rows).toEqual([{ same: true }]);
  });
});

describe('the run of failures', () => {
  test('agrees with the fold of the domain for every order of outcomes in every cut into batches', async () => {
    const outcome = fc.constantFrom('failed' as const, 'failed' as const, 'failed' as const, 'succeeded' as const);
    const cases = fc.array(fc.array(outcome, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 0, max: 19 }), async (batches, before) => {
        const { deliveryIds, destinationId } = await seedDeliveries(batches.flat().length, before);
        let run = { consecutiveFailures: before, off: false };
        const notices: string[] = [];
        let next = 0;
        for (const batch of batches) {
          const settlements = batch.map((outcome) => settlement(deliveryIds[next++] ?? '', outcome));
          await settleAttempts(pool, settlements, limits);
          for (const outcome of batch) {
            const step = settleOutcome(run, outcome === 'failed' ? 'failure' : 'success', limits);
            run = step.run;
            if (step.notice) notices.push(`${step.notice.kind}:${step.notice.consecutiveFailures}`);
          }
        }
        const row = await destination(destinationId);
        expect(row).toMatchObject({
          state: run.off ? 'off' : 'active',
          consecutive_failures: run.consecutiveFailures,
        });
        // A run that warns twice in one batch is told of once.
        expect(new Set(row?.notices ?? [])).toEqual(new Set(notices));
      }),
      { numRuns: 40 },
    );
  });

  test('switches a destination off exactly once at 20, whatever settles at the same moment', async () => {
    const { deliveryIds, destinationId } = await seedDeliveries(40);
    const batches = Array.from({ length: 20 }, (_, index) => deliveryIds.slice(index * 2, index * 2 + 2));
    const settled = await Promise.all(
      batches.map((ids) =>
        settleAttempts(
          pool,
          ids.map((id) => settlement(id, 'failed')),
          limits,
        ),
      ),
    );
    expect(settled.flatMap((batch) => batch.switchedOff)).toEqual([destinationId]);
    expect(await destination(destinationId)).toEqual({
      state: 'off',
      consecutive_failures: 20,
      switched_off_reason: '20 failures in a row',
      notices: ['warning:10', 'warning:15', 'switched_off:20'],
    });
  });

  test('batches that touch the same destinations in opposite order never wait for each other in a circle', async () => {
    const seeds = await Promise.all(Array.from({ length: 6 }, () => seedDeliveries(10)));
    const rounds = Array.from({ length: 10 }, (_, round) => {
      const order = round % 2 === 0 ? seeds : [...seeds].reverse();
      return order.map((seed) => settlement(seed.deliveryIds[round] ?? '', 'failed'));
    });
    await Promise.all(rounds.map((round) => settleAttempts(pool, round, limits)));
    for (const seed of seeds) expect(await destination(seed.destinationId)).toMatchObject({ consecutive_failures: 10 });
  });

  test('does not count a test or a resend', async () => {
    const { deliveryIds, destinationId } = await seedDeliveries(2, 3);
    const uncounted = deliveryIds.map((id, index) => ({
      ...settlement(id, index === 0 ? 'failed' : 'succeeded'),
      counts: false,
    }));
    await settleAttempts(pool, uncounted, limits);
    expect(await destination(destinationId)).toMatchObject({ consecutive_failures: 3 });
  });
});
