import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/retry-schedule';
import { type Logger, throttled } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Database } from '@artist-watch/persistence/database/database';
import { correctInFlight, skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import { monotonicMs, sleep } from '@artist-watch/runtime/clock';
import { every, type Periodic, type PeriodicWork } from '@artist-watch/runtime/periodic';
import type pg from 'pg';
import type { DeliveryQueue } from './queue/delivery-queue.js';
import { type DueDelivery, type OverdueDelivery, overdueDeliveries, releaseWaiting } from './store/release.js';

export type ReleaseLoops = ReturnType<typeof startReleaseLoops>;

const RELEASE_INTERVAL_MS = 100;
const RELEASE_BATCH = 256;
/** The loop releases nothing while this many jobs are waiting, so that jobs for new changes can start soon. */
const MAX_WAITING_JOBS = 32;
const QUEUE_RECHECK_MS = 20;
/**
 * The loop pauses for nine times as long as its last run took, so that it uses at most a tenth of a PostgreSQL core.
 */
const REST_FACTOR = 9;
/** The pause is limited, because a long run spends most of its time waiting for a lock or an unresponsive server. */
const MAX_REST_MS = 1_000;
const SWEEP_PAGE = 1_000;

/**
 * Returns the number of the job's copy: 0 at first, then 1, 2, 3 … once the delivery is 16, 64, 256 … sweep intervals
 * overdue. Each copy needs a new id: if Redis lost a list but kept the jobs in it, no worker ever gets those jobs, and
 * the queue ignores new jobs with the same ids.
 */
function jobCopy(overdueMs: number, sweepIntervalMs: number): number {
  return Math.max(0, Math.floor(Math.log(overdueMs / sweepIntervalMs) / Math.log(4)) - 1);
}

/**
 * Starts the release loop, the sweeper and the backlog gauges. The sweeper re-queues overdue deliveries, because their
 * jobs may have been lost.
 */
export function startReleaseLoops(options: {
  readonly pool: pg.Pool;
  readonly queue: DeliveryQueue;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly sweepIntervalMs: number;
}) {
  const { pool, queue, log, metrics, signal, sweepIntervalMs } = options;
  const releases = metrics.counter({
    name: 'artist_watch_relay_deliveries_total',
    help: 'Deliveries released by the release loop or by the transaction that stored their change.',
  });
  const found = metrics.counter({
    name: 'artist_watch_sweeper_finds_total',
    help: 'Overdue deliveries that no worker had claimed and that the sweeper re-queued. Some may still have been in the queue, which ignores duplicates.',
  });
  const skipped = metrics.counter({
    name: 'artist_watch_sweeper_skips_total',
    help: 'Pending deliveries that the sweeper skipped because their destination is off, deleted, or not included in the plan.',
  });
  const corrected = metrics.counter({
    name: 'artist_watch_sweeper_corrected_windows_total',
    help: 'Destinations whose in-flight counter was too high and was corrected.',
  });
  const adding = new Set<Promise<void>>();

  const releasing = every({
    intervalMs: RELEASE_INTERVAL_MS,
    signal,
    onError: throttled((error, suppressed) => log.error('release.failed', { error, suppressed }), monotonicMs),
    async run() {
      const startedAtMs = performance.now();
      for (let batch = RELEASE_BATCH; batch >= RELEASE_BATCH && !signal.aborted; ) {
        if ((await queue.waiting()) >= MAX_WAITING_JOBS) {
          await sleep(QUEUE_RECHECK_MS, signal);
          continue;
        }
        const released = await releaseWaiting(pool, RELEASE_BATCH);
        await queue.add(released);
        releases.inc(released.length);
        if (released.length > 0) log.debug('deliveries.released', { deliveries: released.length });
        batch = released.length;
      }
      await sleep(Math.min((performance.now() - startedAtMs) * REST_FACTOR, MAX_REST_MS), signal);
    },
  });

  const sweeping = every({
    intervalMs: sweepIntervalMs,
    signal,
    onError: (error) => log.error('sweep.failed', { error }),
    async run() {
      const startedAtMs = performance.now();
      const result = { found: 0, skipped: 0, corrected: await correctInFlight(pool) };
      for (let batch = SWEEP_PAGE; batch === SWEEP_PAGE && !signal.aborted; result.skipped += batch) {
        batch = await skipUndeliverable(pool, { limit: SWEEP_PAGE });
      }
      let after: OverdueDelivery | undefined;
      do {
        const page = await overdueDeliveries(pool, { graceMs: sweepIntervalMs, limit: SWEEP_PAGE, after });
        await queue.addEach(page.map((due) => ({ ...due, copy: jobCopy(due.overdueMs, sweepIntervalMs) })));
        result.found += page.length;
        after = page.length === SWEEP_PAGE ? page.at(-1) : undefined;
      } while (after && !signal.aborted);
      found.inc(result.found);
      skipped.inc(result.skipped);
      corrected.inc(result.corrected);
      if (result.found === 0 && result.skipped === 0 && result.corrected === 0) return;
      log.warn('deliveries.swept', { ...result, durationMs: Math.round(performance.now() - startedAtMs) });
    },
  });

  const gauges = startBacklogGauges(pool, queue, metrics, {
    signal,
    onError: (error) => log.warn('backlog.unknown', { error }),
  });

  return {
    nudge: () => releasing.nudge(),

    /** If Redis does not accept released deliveries, the sweeper adds them later. */
    add(deliveries: readonly DueDelivery[]): void {
      if (deliveries.length === 0) return;
      releases.inc(deliveries.length);
      log.debug('deliveries.released', { deliveries: deliveries.length });
      const added = queue
        .add(deliveries)
        .catch((error: unknown) => log.error('queue.add', { error }))
        .finally(() => adding.delete(added));
      adding.add(added);
    },

    done: Promise.all([releasing.done, sweeping.done, gauges.done]).then(() => Promise.all(adding)),
  };
}

export async function readBacklog({ pool }: Database) {
  const { rows } = await pool.query<{ pending: number; waiting: number; oldestDueAt: Date | null }>(
    `SELECT count(*)::int AS pending, count(relay_at)::int AS waiting, min(relay_at) AS "oldestDueAt"
       FROM deliveries WHERE state = 'pending'`,
  );
  return rows[0] as (typeof rows)[number];
}

interface BacklogWaits {
  /** At most MAX_COUNTED. Excludes paused destinations. */
  readonly waiting: number;
  /** Age of the oldest delivery whose destination has room in its release window. 0 if there is none. */
  readonly oldestWaitingMs: number;
  /** Age of the oldest released delivery that no worker has claimed. 0 if there is none. */
  readonly oldestReleasedMs: number;
}

/** Counting more deliveries would be expensive and would not help operators. */
const MAX_COUNTED = 100_000;

async function readBacklogWaits(pool: pg.Pool): Promise<BacklogWaits> {
  const { rows } = await pool.query<BacklogWaits>({
    name: 'waits',
    text: `WITH waiting AS MATERIALIZED (
             SELECT d.relay_at, t.in_flight < ${RELEASE_WINDOW.start} AS has_room
               FROM deliveries d JOIN destinations t ON t.id = d.destination_id
              WHERE d.state = 'pending' AND d.relay_at IS NOT NULL AND t.pace_ms IS NULL LIMIT $1)
           SELECT (SELECT count(*)::int FROM waiting) AS waiting,
                  coalesce((SELECT extract(epoch FROM clock_timestamp() - min(relay_at)) * 1000 FROM waiting
                             WHERE has_room), 0)::float8 AS "oldestWaitingMs",
                  coalesce((SELECT extract(epoch FROM clock_timestamp() - next_attempt_at) * 1000 FROM deliveries
                             WHERE state = 'pending' AND relay_at IS NULL AND next_attempt_at <= statement_timestamp()
                               AND (claimed_until IS NULL OR claimed_until <= statement_timestamp())
                             ORDER BY next_attempt_at LIMIT 1), 0)::float8 AS "oldestReleasedMs"`,
    values: [MAX_COUNTED],
  });
  return rows[0] as BacklogWaits;
}

const READ_EVERY_MS = 5_000;

/**
 * Updates the backlog gauges every 5 s. While PostgreSQL or Redis is unavailable, the gauges have no values, but
 * scrapes still work.
 */
export function startBacklogGauges(
  pool: pg.Pool,
  queue: Pick<DeliveryQueue, 'depth' | 'overdue'>,
  metrics: Metrics,
  { signal, onError }: Pick<PeriodicWork, 'signal' | 'onError'>,
): Periodic {
  const jobs = metrics.gauge({
    name: 'artist_watch_delivery_queue_jobs',
    help: 'Jobs in the queue by state. `overdue` jobs were delayed until a time that has passed. All replicas of change-ingest report the same numbers.',
    labels: ['state'],
  });
  const waitingDeliveries = metrics.gauge({
    name: 'artist_watch_delivery_database_due',
    help: 'Deliveries waiting in PostgreSQL to be released. Includes deliveries whose destination already has enough of them in flight, but not those of paused destinations. Counted only up to 100,000.',
  });
  const oldestDue = metrics.gauge({
    name: 'artist_watch_delivery_oldest_due_seconds',
    help: 'Seconds that the oldest due delivery has been waiting, or 0 if none is due. A delivery is not due before the time of its next retry. Place `queue`: deliveries that are released but not claimed by a worker. Place `record`: deliveries that are not released although their destination has fewer than 2 in flight.',
    labels: ['place'],
  });
  const endSeries = () => {
    jobs.reset();
    waitingDeliveries.remove();
    oldestDue.reset();
  };

  // The process must not report 0 before the first read.
  endSeries();
  return every({
    intervalMs: READ_EVERY_MS,
    signal,
    onError(error) {
      endSeries();
      onError(error);
    },
    async run() {
      const [depth, overdue, waits] = await Promise.all([
        queue.depth(),
        queue.overdue(Date.now()),
        readBacklogWaits(pool),
      ]);
      jobs.set({ state: 'waiting' }, depth.due);
      jobs.set({ state: 'overdue' }, overdue);
      jobs.set({ state: 'delayed' }, Math.max(0, depth.delayed - overdue));
      jobs.set({ state: 'active' }, depth.active);
      waitingDeliveries.set(waits.waiting);
      oldestDue.set({ place: 'queue' }, waits.oldestReleasedMs / 1_000);
      oldestDue.set({ place: 'record' }, waits.oldestWaitingMs / 1_000);
    },
  });
}
