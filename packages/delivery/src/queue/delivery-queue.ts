import type { DeliveryJob } from '@artist-watch/contracts/jobs';
import { ErrorCode, Job, type JobsOptions, Queue } from 'bullmq';
import { type RedisConnection, toMs } from './connection.js';
import { checkJobs, type JobCheck } from './job-check.js';
import { type QueueBacklog, readQueueBacklog } from './queue-backlog.js';
import { DELIVERY_JOB } from './queue-layout.js';

export interface QueuedDelivery extends DeliveryJob {
  /** How long from now until it may be taken; 0 for at once. */
  readonly delayMs: number;
  /** Those that do not yield are taken first. */
  readonly yields?: boolean;
  /** It was sent in an earlier round: a job of that round may still be there, and sleep until a retry that was given up. */
  readonly isRepeated?: boolean;
}

/** Jobs by state. `due` is what a worker could take now. */
export interface QueueDepth {
  readonly due: number;
  readonly delayed: number;
  readonly active: number;
}

/** The producer's side of one delivery queue. */
export interface DeliveryQueue {
  /** Adds jobs in one round trip. A job that is there already is left as it is, but does not sleep on where it is repeated. */
  add(deliveries: readonly QueuedDelivery[]): Promise<void>;
  /** Looks for the jobs of deliveries, in one round trip. */
  check(deliveries: readonly QueuedDelivery[]): Promise<JobCheck>;
  /** Removes jobs that no worker has in hand. */
  discard(deliveries: readonly QueuedDelivery[]): Promise<void>;
  /** Lets jobs be taken at once that sleep; those that do not (any more) are left as they are. */
  wake(deliveries: readonly QueuedDelivery[]): Promise<void>;
  depth(): Promise<QueueDepth>;
  /** What the depth leaves out: what is due of the delayed ones, and since when. */
  backlog(nowMs: number): Promise<QueueBacklog>;
  /** Resolves when its Redis takes writes: a replica would answer a PING. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The number of attempts is kept in the record, where no lost job can reset it; BullMQ goes on for as long as
 * the worker asks for a retry.
 */
const NEVER_THE_LAST = 1_000_000;

/** BullMQ takes jobs of any priority only when none without one waits (https://docs.bullmq.io/guide/jobs/prioritized). */
const YIELDING = { priority: 1 };

const jobOptions: JobsOptions = {
  attempts: NEVER_THE_LAST,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

export function openDeliveryQueue(redis: RedisConnection, prefix: string, name: string): DeliveryQueue {
  const queue = new Queue<DeliveryJob, void, string>(name, { connection: redis, prefix });
  queue.on('error', () => undefined);
  const nowMs = async () => toMs(await redis.time());
  async function wake(deliveries: readonly QueuedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const ids = deliveries.map(({ deliveryId }) => deliveryId);
    const scores = await redis.zmscore(queue.toKey('delayed'), ...ids);
    const asleep = ids.filter((_, index) => typeof scores[index] === 'string');
    const jobs = await Promise.all(asleep.map((id) => Job.fromId<DeliveryJob, void, string>(queue, id)));
    await Promise.all(jobs.map((job) => job?.promote().catch(unlessAwake)));
  }

  return {
    async add(deliveries) {
      if (deliveries.length === 0) return;
      // BullMQ would count from the clock of this process, and workers wake jobs by theirs.
      const now = deliveries.some(({ delayMs }) => delayMs > 0) ? { timestamp: await nowMs() } : {};
      await queue.addBulk(
        deliveries.map(({ deliveryId, destinationId, delayMs, yields }) => ({
          name: DELIVERY_JOB,
          data: { deliveryId, destinationId },
          opts: {
            jobId: deliveryId,
            ...(delayMs > 0 ? { delay: Math.ceil(delayMs) } : {}),
            ...(yields ? YIELDING : {}),
            ...now,
            ...jobOptions,
          },
        })),
      );
      await wake(deliveries.filter(({ isRepeated, delayMs }) => isRepeated && delayMs === 0));
    },
    check: (deliveries) => checkJobs(redis, (type) => queue.toKey(type), deliveries),
    async discard(deliveries) {
      await Promise.all(deliveries.map(({ deliveryId }) => queue.remove(deliveryId)));
    },
    wake,
    async depth() {
      const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
      return {
        due: (counts.waiting ?? 0) + (counts.prioritized ?? 0),
        delayed: counts.delayed ?? 0,
        active: counts.active ?? 0,
      };
    },
    backlog: (nowMs) => readQueueBacklog(redis, (type) => queue.toKey(type), nowMs),
    async ping() {
      await redis.del(queue.toKey('nothing'));
    },
    close: () => queue.close(),
  };
}

/** A worker was faster. */
function unlessAwake(error: Error & { readonly code?: number }): void {
  if (error.code !== ErrorCode.JobNotInState) throw error;
}

export interface QueueToLookAt {
  readonly queueName: string;
  readonly redis: RedisConnection;
}

/** All queues, for a page that shows them. Opening them writes nothing. The caller closes each. */
export function openQueuesToLookAt(shards: readonly QueueToLookAt[], prefix: string): readonly Queue[] {
  return shards.map(({ queueName, redis }) => {
    const queue = new Queue(queueName, { connection: redis, prefix, skipMetasUpdate: true });
    queue.on('error', () => undefined);
    return queue;
  });
}
