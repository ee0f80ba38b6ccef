import type { Metrics } from '@artist-watch/observability/metrics';
import { every } from '@artist-watch/runtime/periodic';
import type pg from 'pg';
import { readWaits } from '../store/backlog.js';
import type { DeliveryQueue } from './delivery-queue.js';

const READ_EVERY_MS = 5_000;

/**
 * Gauges of the delivery backlog. They are read every few seconds and not at each scrape, so that scrapes cost nothing and
 * are answered while PostgreSQL or Redis is away. Then the series end, instead of showing an old value.
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
    name: 'delivery_queue_jobs',
    help: 'Jobs in the queue: waiting, overdue (delayed until an instant that has passed), delayed, active. Every replica of change-ingest reports the same.',
    labels: ['state'],
  });
  const recordDue = metrics.gauge({
    name: 'delivery_record_due',
    help: 'Deliveries that wait in PostgreSQL for room in the window of their destination, paused destinations left out; counted up to 100,000.',
  });
  const oldestDue = metrics.gauge({
    name: 'delivery_oldest_due_seconds',
    help: 'Age of the oldest due delivery: in the queue (released and not claimed), or in the record (its destination has room, and it is not released); 0 if there is none.',
    labels: ['place'],
  });
  const endSeries = () => {
    jobs.reset();
    recordDue.remove();
    oldestDue.reset();
  };

  // A process that has not read the backlog yet must not report that nothing is due.
  endSeries();
  return every({
    intervalMs: READ_EVERY_MS,
    signal,
    onError(error) {
      endSeries();
      onError(error);
    },
    async run() {
      const [depth, overdue, waits] = await Promise.all([queue.depth(), queue.overdue(Date.now()), readWaits(pool)]);
      jobs.set({ state: 'waiting' }, depth.due);
      jobs.set({ state: 'overdue' }, overdue);
      jobs.set({ state: 'delayed' }, Math.max(0, depth.delayed - overdue));
      jobs.set({ state: 'active' }, depth.active);
      recordDue.set(waits.waiting);
      oldestDue.set({ place: 'queue' }, waits.oldestReleasedMs / 1_000);
      oldestDue.set({ place: 'record' }, waits.oldestWaitingMs / 1_000);
    },
  });
}
