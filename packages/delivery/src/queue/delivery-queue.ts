import { type DeliveryJob, MAX_DELIVERIES_OF_JOB } from '@artist-watch/contracts/jobs';
import { within } from '@artist-watch/runtime/clock';
import { type JobsOptions, Queue } from 'bullmq';
import type { DueDelivery } from '../store/release.js';
import { isUp, openCommandConnection, type RedisTime, SCORES_PER_MS, toMs, whenReady } from './connection.js';

export const DELIVERY_QUEUE = 'deliveries';

/**
 * The queue of versions before 0.2. Workers still consume it: its jobs may have delays of hours, and replicas of an older
 * version fill it during a rollout.
 */
export const FORMER_DELIVERY_QUEUE = 'webhook-deliveries';

/** The only name of a job: the kind of event that is sent (docs/reference/webhooks.md). */
export const DELIVERY_JOB = 'change.confirmed';

/** In front of every key in Redis, so that several installations, or test suites, can share a server. */
export const DEFAULT_KEY_PREFIX = 'artist-watch';

export interface QueuePlace {
  readonly redisUrl: string;
  readonly prefix: string;
}

/** Jobs by state. */
export interface QueueDepth {
  /** A worker can take them now. */
  readonly due: number;
  readonly delayed: number;
  readonly active: number;
}

export type DeliveryQueue = ReturnType<typeof openDeliveryQueue>;

/** Longer than a command may take: BullMQ may wait for the connection before it sends one. */
const LONGEST_MS = 3_000;

/** The database counts attempts. A job fails only while the database is away, and is repeated until it is back. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

/** The producer's side of the queue. Its operations fail at once, or soon, if Redis does not answer. */
export function openDeliveryQueue({ redisUrl, prefix }: QueuePlace) {
  const redis = openCommandConnection(redisUrl);
  const queue = new Queue<DeliveryJob, void, string>(DELIVERY_QUEUE, { connection: redis, prefix });
  queue.on('error', () => undefined);

  async function guarded<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (!isUp(redis)) throw new Error('There is no connection to Redis.');
    return within(LONGEST_MS, operation(), () => {
      throw new Error('Redis did not answer in time.');
    });
  }

  return {
    queue,

    /** Adds released deliveries, up to 32 in a job. */
    async add(deliveries: readonly DueDelivery[]): Promise<void> {
      const jobs: DueDelivery[][] = [];
      for (let from = 0; from < deliveries.length; from += MAX_DELIVERIES_OF_JOB) {
        jobs.push(deliveries.slice(from, from + MAX_DELIVERIES_OF_JOB));
      }
      if (jobs.length === 0) return;
      await guarded(() => queue.addBulk(jobs.map((job) => jobOf(job, job.length === 1 ? jobId(job[0]) : undefined))));
    },

    /** Adds one job for each delivery. The queue ignores a job whose id it knows. */
    async addEach(deliveries: readonly DueDelivery[]): Promise<void> {
      if (deliveries.length === 0) return;
      await guarded(() => queue.addBulk(deliveries.map((delivery) => jobOf([delivery], jobId(delivery)))));
    },

    /**
     * Adds a delayed job for a delivery.
     *
     * @param isRetry false for a delivery that was given back: the job that gave it back may have the id of a retry.
     */
    async addLater(delivery: DueDelivery, { delayMs, isRetry }: { delayMs: number; isRetry: boolean }): Promise<void> {
      await guarded(async () => {
        // BullMQ would count from the clock of this process, and workers start jobs by theirs.
        const timestamp = toMs((await redis.time()) as RedisTime);
        const { name, data, opts } = jobOf([delivery], isRetry ? jobId(delivery) : undefined);
        await queue.add(name, data, { ...opts, timestamp, delay: Math.max(1, Math.ceil(delayMs)) });
      });
    },

    /** The number of jobs that wait for a worker. */
    waiting: () => guarded(() => queue.getWaitingCount()),

    depth: () =>
      guarded(async (): Promise<QueueDepth> => {
        const { waiting = 0, delayed = 0, active = 0 } = await queue.getJobCounts('waiting', 'delayed', 'active');
        return { due: waiting, delayed, active };
      }),

    /** The number of delayed jobs whose time has come. */
    overdue: (nowMs: number) =>
      guarded(() => redis.zcount(queue.toKey('delayed'), '-inf', (nowMs + 1) * SCORES_PER_MS - 1)),

    /** Resolves if Redis accepts writes; a replica would answer a PING. */
    ping: () => guarded(async () => void (await redis.del(queue.toKey('nothing')))),
    whenReady: (timeoutMs: number) => whenReady(redis, timeoutMs),
    async close(): Promise<void> {
      await queue.close();
      redis.disconnect();
    },
  };
}

function jobOf(deliveries: readonly DueDelivery[], jobId: string | undefined) {
  return {
    name: DELIVERY_JOB,
    data: { deliveryIds: deliveries.map(({ deliveryId }) => deliveryId) },
    opts: { ...JOB_OPTIONS, ...(jobId !== undefined && { jobId }) },
  };
}

/**
 * The id of a job for one delivery: delivery, attempt and round. The delayed job of a retry that was given up must not keep
 * the same attempt of a later round out of the queue.
 */
function jobId(delivery: DueDelivery | undefined): string | undefined {
  return delivery && `${delivery.deliveryId}-${delivery.attemptNumber}-${delivery.roundStart}`;
}
