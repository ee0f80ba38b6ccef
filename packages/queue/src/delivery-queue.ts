import type { DeliveryJob } from '@artist-watch/contracts/jobs';
import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { DELIVERY_JOB, DELIVERY_QUEUE } from './names.js';
import { type QueueBacklog, readQueueBacklog } from './queue-backlog.js';

export interface QueuedDelivery extends DeliveryJob {
  /** How long from now until it may be taken; 0 for at once. */
  readonly delayMs: number;
}

/** Jobs by state. `due` is what a worker could take now. */
export interface QueueDepth {
  readonly due: number;
  readonly delayed: number;
  readonly active: number;
}

/** The producer's side of the delivery queue. */
export interface DeliveryQueue {
  /** Adds jobs in one round trip. A delivery whose job is there already is left as it is. */
  add(deliveries: readonly QueuedDelivery[]): Promise<void>;
  /** Those of the deliveries that have no job (any more), in one round trip. */
  missing(deliveryIds: readonly string[]): Promise<Set<string>>;
  depth(): Promise<QueueDepth>;
  /** What the depth leaves out: what is due of the delayed ones, and since when. */
  backlog(nowMs: number): Promise<QueueBacklog>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The number of attempts is kept in the record, where no lost job can reset it; BullMQ only has to go on for as long as
 * it is told to.
 */
const NEVER_THE_LAST = 1_000_000;

const jobOptions: JobsOptions = {
  attempts: NEVER_THE_LAST,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

export function openDeliveryQueue(redis: Redis, prefix: string): DeliveryQueue {
  const queue = new Queue<DeliveryJob, void, string>(DELIVERY_QUEUE, { connection: redis, prefix });
  queue.on('error', () => undefined);
  return {
    async add(deliveries) {
      if (deliveries.length === 0) return;
      await queue.addBulk(
        deliveries.map(({ deliveryId, destinationId, delayMs }) => ({
          name: DELIVERY_JOB,
          data: { deliveryId, destinationId },
          opts: { ...jobOptions, jobId: deliveryId, ...(delayMs > 0 ? { delay: Math.ceil(delayMs) } : {}) },
        })),
      );
    },
    async missing(deliveryIds) {
      if (deliveryIds.length === 0) return new Set();
      const pipeline = redis.pipeline();
      for (const id of deliveryIds) pipeline.exists(queue.toKey(id));
      const answers = (await pipeline.exec()) ?? [];
      const gone = new Set<string>();
      for (const [index, [error, exists]] of answers.entries()) {
        if (error) throw error;
        const id = deliveryIds[index];
        if (exists === 0 && id !== undefined) gone.add(id);
      }
      return gone;
    },
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
      await redis.ping();
    },
    close: () => queue.close(),
  };
}
