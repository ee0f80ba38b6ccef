import { type DeliveryJob, MAX_DELIVERIES_OF_JOB } from '@artist-watch/contracts/jobs';
import { type JobsOptions, Queue } from 'bullmq';
import type { DueDelivery } from '../store/release.js';
import { inTime, isUp, openCommandConnection, whenReady } from './connection.js';

export const DELIVERY_QUEUE = 'deliveries';

/** The queue used by versions before 0.2. Workers also consume it, because its jobs can be delayed for hours. */
export const FORMER_DELIVERY_QUEUE = 'webhook-deliveries';

/** All jobs are named after the webhook event (docs/api/webhooks.md). */
const DELIVERY_JOB = 'change.confirmed';

export const DEFAULT_KEY_PREFIX = 'artist-watch';

export interface QueueLocation {
  readonly redisUrl: string;
  readonly prefix: string;
}

export type DeliveryQueue = ReturnType<typeof openDeliveryQueue>;

/** BullMQ may wait for the connection before the command timeout starts. */
const MAX_OPERATION_MS = 3_000;

/** BullMQ's score for a delayed job is the job's due time in milliseconds times this factor, plus an arrival number. */
const SCORES_PER_MS = 0x1000;

/** Jobs are retried for as long as the database is unavailable. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

interface Queued extends DueDelivery {
  /** Default: 0, the delivery's first job. */
  readonly copy?: number;
}

/** Opens the queue for adding and counting jobs. If Redis does not respond, operations fail within 3 s. */
export function openDeliveryQueue({ redisUrl, prefix }: QueueLocation) {
  const redis = openCommandConnection(redisUrl);
  const queue = new Queue<DeliveryJob, void, string>(DELIVERY_QUEUE, { connection: redis, prefix });
  queue.on('error', () => undefined);

  async function guarded<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (!isUp(redis)) throw new Error('No connection to Redis.');
    return inTime(MAX_OPERATION_MS, operation());
  }

  return {
    queue,
    redis,

    async add(deliveries: readonly DueDelivery[]): Promise<void> {
      const jobs: ReturnType<typeof buildJob>[] = [];
      for (let from = 0; from < deliveries.length; from += MAX_DELIVERIES_OF_JOB) {
        jobs.push(buildJob(deliveries.slice(from, from + MAX_DELIVERIES_OF_JOB)));
      }
      const [first] = jobs;
      if (!first) return;
      // `addBulk` uses a transaction, which delays a single job by about 0.3 ms.
      await guarded<unknown>(() =>
        jobs.length === 1 ? queue.add(first.name, first.data, first.opts) : queue.addBulk(jobs),
      );
    },

    /** The queue ignores a job if it already has one with the same id. */
    async addEach(deliveries: readonly Queued[]): Promise<void> {
      if (deliveries.length === 0) return;
      await guarded(() => queue.addBulk(deliveries.map((delivery) => buildJob([delivery]))));
    },

    /** @param isRetry false after a claim was given back, because the running job may already use the retry's id. */
    async addLater(delivery: DueDelivery, { delayMs, isRetry }: { delayMs: number; isRetry: boolean }): Promise<void> {
      await guarded(async () => {
        // By default, BullMQ uses this process's clock, which can differ from the worker's.
        const [seconds, microseconds] = await redis.time();
        const timestamp = Math.floor(Number(seconds) * 1_000 + Number(microseconds) / 1_000);
        const { name, data, opts } = buildJob([delivery], isRetry);
        await queue.add(name, data, { ...opts, timestamp, delay: Math.max(1, Math.ceil(delayMs)) });
      });
    },

    waiting: () => guarded(() => queue.getWaitingCount()),

    depth: () =>
      guarded(async () => {
        const { waiting = 0, delayed = 0, active = 0 } = await queue.getJobCounts('waiting', 'delayed', 'active');
        return { due: waiting, delayed, active };
      }),

    overdue: (nowMs: number) =>
      guarded(() => redis.zcount(queue.toKey('delayed'), '-inf', (nowMs + 1) * SCORES_PER_MS - 1)),

    /** A PING would also succeed on a read-only replica. */
    ping: () => guarded(async () => void (await redis.del(queue.toKey('nothing')))),
    whenReady: (timeoutMs: number) => whenReady(redis, timeoutMs),
    async close(): Promise<void> {
      await queue.close();
      redis.disconnect();
    },
  };
}

/** The id includes the round, because the queue may still contain an abandoned retry with the same attempt number. */
function buildJob(deliveries: readonly Queued[], hasId = deliveries.length === 1) {
  const [first] = deliveries;
  const copy = first?.copy ? `-${first.copy}` : '';
  const jobId = first && `${first.deliveryId}-${first.attemptNumber}-${first.roundStart}${copy}`;
  return {
    name: DELIVERY_JOB,
    data: { deliveryIds: deliveries.map(({ deliveryId }) => deliveryId) },
    opts: hasId && jobId ? { ...JOB_OPTIONS, jobId } : JOB_OPTIONS,
  };
}
