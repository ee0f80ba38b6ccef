import { deliveryJobSchema, formerDeliveryJobSchema } from '@artist-watch/contracts/jobs';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import { isUp, openWorkerConnection } from './queue/connection.js';
import { DELIVERY_QUEUE, FORMER_DELIVERY_QUEUE, type QueueLocation } from './queue/delivery-queue.js';

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
