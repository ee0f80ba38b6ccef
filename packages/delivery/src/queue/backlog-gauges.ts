import type { Metrics } from '@artist-watch/observability/metrics';
import { every } from '@artist-watch/runtime/periodic';
import type pg from 'pg';
import { dueInRecord, dueSince } from '../store/backlog.js';
import type { QueueBacklog } from './queue-backlog.js';
import type { OpenShard, ShardedDeliveryQueue } from './sharded-delivery-queue.js';

export interface BacklogGaugesOptions {
  readonly pool: pg.Pool;
  readonly queue: ShardedDeliveryQueue;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  nowMs(): number;
  onError(error: unknown): void;
}

const READ_EVERY_MS = 5_000;

/**
 * The backlog of deliveries. It is read every few seconds, not at each scrape, so that scrapes cost nothing and
 * are answered while PostgreSQL or Redis is away; then the series end, and no old value stands for the present. While one
 * Redis of several is away, only the series of its shards end.
 */
export function startBacklogGauges(options: BacklogGaugesOptions): { readonly done: Promise<void> } {
  const { pool, queue, metrics, signal, nowMs, onError } = options;
  const jobs = metrics.gauge({
    name: 'delivery_queue_jobs',
    help: 'Jobs in the queue: waiting, overdue (put off until an instant that has passed), delayed (until one to come), active. Every replica of change-ingest reports the same.',
    labels: ['state', 'shard'],
  });
  const shardUp = metrics.gauge({
    name: 'delivery_queue_shard_up',
    help: 'Whether a shard of the queue can be asked: 1, or 0 while its Redis is away; its deliveries wait then.',
    labels: ['shard'],
  });
  const recordDue = metrics.gauge({
    name: 'delivery_record_due',
    help: 'Deliveries that are due and wait in PostgreSQL to be handed to the queue; counted up to 100,000.',
  });
  const oldestDue = metrics.gauge({
    name: 'delivery_oldest_due_seconds',
    help: 'For how long the oldest delivery that could be taken has been due: in the queue, or in the record; 0 when none is.',
    labels: ['place'],
  });
  const endSeries = () => {
    jobs.reset();
    recordDue.remove();
    oldestDue.reset();
  };

  // Otherwise a process that has not read the backlog yet would report that nothing is due.
  endSeries();
  return every({
    intervalMs: READ_EVERY_MS,
    signal,
    onError(error) {
      endSeries();
      onError(error);
    },
    async run() {
      const now = nowMs();
      const [answers, record] = await Promise.all([
        Promise.allSettled(queue.shards.map((shard) => readShard(shard, pool, now))),
        dueInRecord(pool),
      ]);
      for (const [shard, { status }] of answers.entries()) shardUp.set({ shard }, status === 'fulfilled' ? 1 : 0);
      const seen = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      if (seen.length === 0) throw answers.find((each) => each.status === 'rejected')?.reason;
      jobs.reset();
      for (const { shard, backlog } of seen) {
        jobs.set({ state: 'waiting', shard }, backlog.waiting);
        jobs.set({ state: 'overdue', shard }, backlog.overdue);
        jobs.set({ state: 'delayed', shard }, backlog.delayed);
        jobs.set({ state: 'active', shard }, backlog.active);
      }
      recordDue.set(record.count);
      oldestDue.set({ place: 'queue' }, Math.max(...seen.map((each) => each.oldestDueMs)) / 1_000);
      oldestDue.set({ place: 'record' }, record.oldestMs / 1_000);
    },
  });
}

/** One shard of the queue, and for how long the oldest of its jobs that could be taken has been due. */
async function readShard({ number, queue }: OpenShard, pool: pg.Pool, nowMs: number) {
  const backlog: QueueBacklog = await queue.backlog(nowMs);
  const waitingSince = backlog.next && (await dueSince(pool, backlog.next.deliveryId));
  const oldestDueMs = Math.max(
    0,
    // Due since then, unless a worker has had it meanwhile and deferred it: its turn had not come.
    backlog.next && waitingSince ? nowMs - Math.max(waitingSince.getTime(), backlog.next.seenAtMs) : 0,
    backlog.earliestDelayedAtMs === null ? 0 : nowMs - backlog.earliestDelayedAtMs,
  );
  return { shard: number, backlog, oldestDueMs };
}
