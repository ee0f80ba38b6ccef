import { type DeliveryJob, MAX_DELIVERIES_OF_JOB } from '@artist-watch/contracts/jobs';
import { within } from '@artist-watch/runtime/clock';
import { type JobsOptions, Queue } from 'bullmq';
import type { DueDelivery } from '../store/release.js';
import { isUp, openCommandConnection, type RedisTime, SCORES_PER_MS, toMs, whenReady } from './connection.js';

export const DELIVERY_QUEUE = 'deliveries';

/** The queue used by versions before 0.2. Workers also consume it, because its jobs can be delayed for hours. */
export const FORMER_DELIVERY_QUEUE = 'webhook-deliveries';

/** All jobs are named after the webhook event (docs/api/webhooks.md). */
export const DELIVERY_JOB = 'change.confirmed';

export const DEFAULT_KEY_PREFIX = 'artist-watch';

export interface QueueLocation {
  readonly redisUrl: string;
  readonly prefix: string;
}

export interface QueueDepth {
  /** Waiting for a worker. */
  readonly due: number;
  readonly delayed: number;
  readonly active: number;
}

export type DeliveryQueue = ReturnType<typeof openDeliveryQueue>;

/** BullMQ may wait for the connection before the command timeout starts. */
const MAX_OPERATION_MS = 3_000;

/** Jobs are retried for as long as the database is unavailable. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

/** Opens the queue for adding and counting jobs. If Redis does not respond, operations fail within 3 s. */
export function openDeliveryQueue({ redisUrl, prefix }: QueueLocation) {
  const redis = openCommandConnection(redisUrl);
  const queue = new Queue<DeliveryJob, void, string>(DELIVERY_QUEUE, { connection: redis, prefix });
  queue.on('error', () => undefined);

  async function guarded<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (!isUp(redis)) throw new Error('No connection to Redis.');
    return within(MAX_OPERATION_MS, operation(), () => {
      throw new Error('Redis did not respond in time.');
    });
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

    /**
     * The queue ignores a job if it already has one with the same id.
     * @param copyOf returns the number of the job's copy. A delivery's first job is copy 0.
     */
    async addEach<Due extends DueDelivery>(deliveries: readonly Due[], copyOf: (due: Due) => number = () => 0) {
      if (deliveries.length === 0) return;
      const jobs = deliveries.map((delivery) => {
        const job = buildJob([delivery]);
        const copy = copyOf(delivery);
        return copy === 0 ? job : { ...job, opts: { ...job.opts, jobId: `${job.opts.jobId}-${copy}` } };
      });
      await guarded(() => queue.addBulk(jobs));
    },

    /** @param isRetry false after a claim was given back, because the running job may already use the retry's id. */
    async addLater(delivery: DueDelivery, { delayMs, isRetry }: { delayMs: number; isRetry: boolean }): Promise<void> {
      await guarded(async () => {
        // By default, BullMQ uses this process's clock, which can differ from the worker's.
        const timestamp = toMs((await redis.time()) as RedisTime);
        const { name, data, opts } = buildJob([delivery], isRetry);
        await queue.add(name, data, { ...opts, timestamp, delay: Math.max(1, Math.ceil(delayMs)) });
      });
    },

    waiting: () => guarded(() => queue.getWaitingCount()),

    depth: () =>
      guarded(async (): Promise<QueueDepth> => {
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
function buildJob(deliveries: readonly DueDelivery[], hasId = deliveries.length === 1) {
  const [first] = deliveries;
  const jobId = first && `${first.deliveryId}-${first.attemptNumber}-${first.roundStart}`;
  return {
    name: DELIVERY_JOB,
    data: { deliveryIds: deliveries.map(({ deliveryId }) => deliveryId) },
    opts: hasId && jobId ? { ...JOB_OPTIONS, jobId } : JOB_OPTIONS,
  };
}
