import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/retry-schedule';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Database } from '@artist-watch/persistence/database/database';
import { every, type Periodic, type PeriodicWork } from '@artist-watch/runtime/periodic';
import type pg from 'pg';
import type { DeliveryQueue } from '../queue/delivery-queue.js';

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
