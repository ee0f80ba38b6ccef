import { type Claim, claimDeliveries } from '@artist-watch/delivery/store/claims';
import { overdueDeliveries, releaseWaiting } from '@artist-watch/delivery/store/release';
import { type Settlement, settleAttempts } from '@artist-watch/delivery/store/settlement';
import { pausesMs } from '@artist-watch/domain/delivery/retry-schedule';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import type { BenchOptions } from '../bench.js';
import { LONG_RUN_POSTGRES } from '../delivery/delivery-servers.js';
import { interleave, lineOf } from '../measuring/rounds.js';
import { onServers } from '../processes/bench-servers.js';
import type { Figure } from '../reporting/figure.js';
import { fillDeliveries } from './fill-deliveries.js';

const FULL = { few: 10_000, many: 1_000_000, queued: 4_000, rounds: 9, batch: 500 };
const QUICK = { few: 500, many: 2_000, queued: 100, rounds: 1, batch: 20 };

const DESTINATIONS = 1_000;
const LEASE_MS = 60_000;
const FILLING_TIMEOUT_MS = 600_000;
const LIMITS = { warnAt: [10, 15], switchOffAfter: 20, pausesMs: pausesMs([]) };

const STEPS = ['release', 'claim', 'settle', 'sweep', 'skip'] as const;

/**
 * Measures the time per delivery for the release loop, worker and sweeper, once with few and once with many pending
 * deliveries.
 */
export function measureBacklogCost({ quick, say }: BenchOptions): Promise<Figure[]> {
  const { few, many, queued, rounds, batch } = quick ? QUICK : FULL;
  return onServers({ postgresSettings: LONG_RUN_POSTGRES }, async (servers) => {
    const withMany = await servers.copyDatabase('with_many');
    const variant = async (url: string, pending: number) => {
      const database = openDatabase({
        url,
        poolSize: 1,
        statementTimeoutMs: FILLING_TIMEOUT_MS,
        applicationName: 'bench',
      });
      const { pool } = database;
      await fillDeliveries(pool, {
        deliveries: pending,
        destinations: DESTINATIONS,
        urls: ['https://x.example/'],
        queued,
      });
      // PostgreSQL replans a prepared statement on each of its first five executions, so those are slower.
      for (let count = 0; count < 6; count += 1) await round(pool, 10);
      return { name: `${pending} pending`, measure: () => round(pool, batch), close: () => database.close() };
    };
    const [small, large] = [await variant(servers.databaseUrl, few), await variant(withMany, many)];
    const measured = await interleave([small, large], rounds, (measuredRound) => say(lineOf(measuredRound, 1)));
    await Promise.all([small.close(), large.close()]);
    return STEPS.flatMap((step): Figure[] => {
      const [time, ratio] = [
        measured.spread(`${step}Us`, large.name),
        measured.ratio(`${step}Us`, large.name, small.name),
      ];
      return [
        { name: step, column: `time per delivery, ${large.name}`, value: time, unit: 'µs', digits: 1 },
        { name: step, column: `relative to ${small.name} (limit 1.3)`, value: ratio, atMost: 1.3 },
      ];
    });
  });
}

/** Returns microseconds per delivery. */
async function round(pool: pg.Pool, batch: number): Promise<Record<`${(typeof STEPS)[number]}Us`, number>> {
  let ids: string[] = [];
  const releaseMs = await timed(async () => {
    ids = (await releaseWaiting(pool, batch / 2)).map(({ deliveryId }) => deliveryId);
  });
  let claims: Claim[] = [];
  const claimMs = await timed(async () => {
    claims = [...(await claimDeliveries(pool, ids, LEASE_MS)).values()];
  });
  let released: string[] = [];
  const settleMs = await timed(async () => {
    const settled = await settleAttempts(pool, claims.map(succeeded), LIMITS);
    released = settled.released.map(({ deliveryId }) => deliveryId);
  });
  // The next round must start with idle destinations.
  await pool.query('UPDATE deliveries SET relay_at = next_attempt_at WHERE id = ANY($1)', [released]);
  await pool.query('UPDATE destinations SET in_flight = 0 WHERE in_flight > 0');
  const sweepMs = await timed(() => overdueDeliveries(pool, { graceMs: 0, limit: batch }));
  const skipMs = await timed(() => skipUndeliverable(pool, { limit: batch }));
  const usOf = (ms: number, deliveries: number) => (ms * 1_000) / deliveries;
  return {
    releaseUs: usOf(releaseMs, ids.length),
    claimUs: usOf(claimMs, ids.length),
    settleUs: usOf(settleMs, ids.length),
    sweepUs: usOf(sweepMs, batch),
    skipUs: usOf(skipMs, batch),
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await run();
  return performance.now() - startedAtMs;
}

function succeeded({ deliveryId, destinationId }: Claim): Settlement {
  return {
    deliveryId,
    destinationId,
    attemptNumber: 1,
    outcome: 'succeeded',
    blame: null,
    statusCode: 204,
    error: null,
    reason: null,
    responseExcerpt: null,
    durationMs: 5,
    endedAgoMs: 1,
    counts: true,
    nextState: 'succeeded',
    retryDelayMs: null,
  };
}
