import type { Metrics } from '@artist-watch/observability/metrics';
import { every } from '@artist-watch/runtime/periodic';
import type pg from 'pg';
import { readBacklogWaits } from '../store/backlog.js';
import type { DeliveryQueue } from './delivery-queue.js';

const READ_EVERY_MS = 5_000;

/**
 * Updates the backlog gauges every 5 s. Without PostgreSQL or Redis, the gauges have no values, but scrapes still work.
 */
export function startBacklogGauges({
  pool,
  queue,
  metrics,
  signal,
  onError,
}: {
  readonly pool: pg.Pool;
  readonly queue: Pick<DeliveryQueue, 'depth' | 'overdue'>;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}): { readonly done: Promise<void> } {
  const jobs = metrics.gauge({
    name: 'artist_watch_delivery_queue_jobs',
    help: 'Jobs in the queue by state. The state `overdue` means that a job was delayed until a time that has passed. Every replica of change-ingest reports the same numbers.',
    labels: ['state'],
  });
  const waitingDeliveries = metrics.gauge({
    name: 'artist_watch_delivery_database_due',
    help: 'Deliveries that wait in PostgreSQL for their release, also those whose destinations have no room, but not those of paused destinations. Counted up to 100,000.',
  });
  const oldestDue = metrics.gauge({
    name: 'artist_watch_delivery_oldest_due_seconds',
    help: 'Seconds that the oldest due delivery has waited; 0 if there is none. Deliveries that wait for a retry are not due. Place `queue`: released deliveries without a claim. Place `record`: deliveries that are not released although their destinations have room.',
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
