import { type Claim, claimDeliveries } from '@artist-watch/delivery/store/claims';
import { overdueDeliveries, releaseWaiting } from '@artist-watch/delivery/store/release';
import { type Settlement, settleAttempts } from '@artist-watch/delivery/store/settlement';
import { pausesMs } from '@artist-watch/domain/delivery/retry-schedule';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import type { Bench, BenchOptions } from '../bench.js';
import { measureReference } from '../delivery/bare-loop.js';
import { LONG_RUN_POSTGRES, onDeliveryServers } from '../delivery/delivery-servers.js';
import { interleave, lineOf } from '../measuring/rounds.js';
import { onServers } from '../processes/bench-servers.js';
import { leaveMeasuredCore, raisePriority } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { fillDeliveries } from './fill-deliveries.js';
import { measureRedisMemory } from './redis-memory.js';
import { measureWideChange } from './wide-change.js';

export const backlogBench: Bench = {
  title: 'A backlog of deliveries',
  method: `
- **Cost by backlog.** The statements of release loop, worker and sweeper, per batch, in two databases of one PostgreSQL with 10,000
  and 1,000,000 pending deliveries; the same number is released in both. They alternate, and a ratio compares consecutive rounds.
  \`sweep\` is a page of overdue deliveries, \`skip\` the search for pending deliveries of switched-off destinations.
- **A wide change.** One change goes to 100,000 destinations, while the API serves a page of 200 changes at a steady rate. The API
  shares its core only with PostgreSQL, which may use all; Redis, change-ingest and the load use the others. change-ingest, worker,
  proxy, receiver and PostgreSQL's processes for the first two get only idle CPU time, if \`chrt\` is available, so the reads show
  waits for anything except a core. The first request of each connection does not count.
- **Redis.** A million deliveries are pending and due, first without a worker and then with one. The same processes have low
  priority.
- **Reference.** The bare loop of [delivery](delivery.md), before the last two.`,
  async run(options) {
    leaveMeasuredCore();
    raisePriority();
    const figures = await measureBacklogCost(options);
    const servers = { profileDirectory: options.profileDirectory, postgresOnAllCores: true };
    return onDeliveryServers(servers, async (started) => [
      ...figures,
      ...(await measureReference(started, options)),
      ...(await measureWideChange(started, options)),
      ...(await measureRedisMemory(started, options)),
    ]);
  },
};

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
function measureBacklogCost({ quick, say }: BenchOptions): Promise<Figure[]> {
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
