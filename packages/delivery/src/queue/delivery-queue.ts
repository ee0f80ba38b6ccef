import {
  type DeliveryJob,
  deliveryJobSchema,
  formerDeliveryJobSchema,
  MAX_DELIVERIES_OF_JOB,
} from '@artist-watch/contracts/jobs';
import { type Job, type JobsOptions, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { DueDelivery } from '../store/release.js';
import { inTime, isUp, openCommandConnection, openWorkerConnection, whenReady } from './connection.js';

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

    /**
     * @param isRetry true if the job uses the id of the next attempt. False if the running job may have this id, because
     * it is for the same attempt: the queue would ignore the new job.
     */
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

/**
 * If a worker dies, another one takes over its job within LOCK_MS + STALLED_CHECK_MS = 22.5 s (docs/api/webhooks.md).
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 7_500;
/** BullMQ fails a job after this many worker deaths. The limit is high, because a delivery must never fail this way. */
const MAX_STALLS = 1_000_000;

/** Passes each job's deliveries to `handle`, and completes the job when `handle` resolves. */
export function createDeliveryConsumer({
  redisUrl,
  prefix,
  concurrency,
  handle,
  onError,
}: QueueLocation & {
  readonly concurrency: number;
  handle(deliveryIds: readonly string[]): Promise<void>;
  onError(error: Error): void;
}) {
  const redis = openWorkerConnection(redisUrl);
  const activeJobs = new Set<Promise<void>>();

  /**
   * Starts each job as soon as it is fetched. BullMQ would fetch the next job first, which costs a Redis round trip.
   */
  const begun = new WeakMap<Job, Promise<void>>();

  function begin(job: Job): void {
    const run = runJob(job);
    run.catch(() => undefined);
    begun.set(job, run);
  }

  async function runJob({ data }: Job): Promise<void> {
    const job = deliveryJobSchema.safeParse(data).data ?? formerDeliveryJobSchema.safeParse(data).data;
    // A retry cannot fix invalid job data.
    if (!job) throw new UnrecoverableError('The job data has no valid delivery ids.');
    const handled = handle(job.deliveryIds);
    activeJobs.add(handled);
    try {
      await handled;
    } finally {
      activeJobs.delete(handled);
    }
  }

  const workers = [DELIVERY_QUEUE, FORMER_DELIVERY_QUEUE].map((name) => {
    const worker = new Worker<unknown, void, string>(name, (job) => begun.get(job) ?? runJob(job), {
      connection: redis,
      prefix,
      concurrency,
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', onError);
    worker.on('active', begin);
    return worker;
  });

  let running: Promise<unknown> | undefined;
  return {
    start(): void {
      running = Promise.all(workers.map((worker) => worker.run().catch(onError)));
    },

    /** Resolves when the active jobs have finished. */
    async stop(): Promise<void> {
      const lost = new Promise<'lost'>((resolve) => redis.once('close', () => resolve('lost')));
      const closed = Promise.all(workers.map((worker) => worker.close())).then(() => running);
      if (!isUp(redis) || (await Promise.race([closed, lost])) === 'lost') {
        // Jobs cannot be marked as completed while Redis is unavailable, but their results are already in the database.
        await Promise.allSettled([...activeJobs]);
        // biome-ignore lint/complexity/useLiteralKeys: The property is protected, and its timer would renew locks forever.
        await Promise.all(workers.map((worker) => worker['lockManager'].close()));
        // This promise never settles if the connection was reconnecting.
        for (const worker of workers) void worker.backend.disconnectBlocking(false).catch(() => undefined);
      }
      redis.disconnect();
    },
  };
}
