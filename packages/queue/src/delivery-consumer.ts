import { type DeliveryJob, deliveryJobSchema } from '@artist-watch/contracts/jobs';
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { DELIVERY_QUEUE } from './names.js';

/** What is to become of a job after it was looked at. */
export type JobOutcome =
  /** There is nothing more for this job to do; it is removed. */
  | { readonly kind: 'done' }
  /** An attempt failed and there will be another: BullMQ's own backoff puts it off. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string }
  /** It was not the time, or not the receiver's fault: put off without counting as anything. */
  | { readonly kind: 'postpone'; readonly delayMs: number };

export interface DeliveryConsumerOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** Jobs that are handled at once in this process. */
  readonly concurrency: number;
  handle(job: DeliveryJob): Promise<JobOutcome>;
  /** Trouble of the queue itself (a lost lock, a lost connection); the consumer goes on by itself. */
  onTrouble(error: Error): void;
}

export interface DeliveryConsumer {
  /** Starts taking jobs. */
  start(): void;
  /** Takes no further job and resolves when those in hand have ended. */
  stop(): Promise<void>;
  /** Ends without waiting; what is in hand comes back to another worker as stalled. */
  abandon(): Promise<void>;
}

/**
 * A worker that dies leaves its job to another within LOCK_MS + STALLED_CHECK_MS = 22.5 s (DESIGN section 4, stalls:
 * 30 s). A stall is never the last one: dying workers must not fail a delivery for good.
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 7_500;
const NEVER_TOO_OFTEN = 1_000_000;

/** Carries the delay to the backoff strategy below. */
class RetryLater extends Error {
  override readonly name = 'RetryLater';
  constructor(
    reason: string,
    readonly delayMs: number,
  ) {
    super(reason);
  }
}

export function createDeliveryConsumer(options: DeliveryConsumerOptions): DeliveryConsumer {
  const worker = new Worker<DeliveryJob, void, string>(DELIVERY_QUEUE, (job, token) => run(job, token, options), {
    connection: options.redis,
    prefix: options.prefix,
    concurrency: options.concurrency,
    autorun: false,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: NEVER_TOO_OFTEN,
    settings: {
      // 0 would mean "now" and skip the delayed set; the record has said when.
      backoffStrategy: (_attempts, _type, error) => (error instanceof RetryLater ? Math.max(1, error.delayMs) : 1_000),
    },
  });
  worker.on('error', (error) => options.onTrouble(error));
  let running: Promise<void> | undefined;
  return {
    start() {
      running = worker.run().catch((error: Error) => options.onTrouble(error));
    },
    async stop() {
      await worker.close();
      await running;
    },
    async abandon() {
      await worker.close(true);
    },
  };
}

async function run(job: Job<DeliveryJob, void, string>, token: string | undefined, options: DeliveryConsumerOptions) {
  const parsed = deliveryJobSchema.safeParse(job.data);
  // Nobody of ours wrote this job, and no retry will make it one of ours.
  if (!parsed.success) throw new UnrecoverableError('The data of the job are not those of a delivery.');
  const outcome = await options.handle(parsed.data);
  switch (outcome.kind) {
    case 'done':
      return;
    case 'retry':
      throw new RetryLater(outcome.reason, Math.ceil(outcome.delayMs));
    case 'postpone':
      await job.moveToDelayed(Date.now() + Math.max(1, Math.ceil(outcome.delayMs)), token);
      throw new DelayedError();
  }
}
