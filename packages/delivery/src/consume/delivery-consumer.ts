import { type DeliveryJob, deliveryJobSchema } from '@artist-watch/contracts/jobs';
import { type Job, UnrecoverableError } from 'bullmq';
import type { JobOutcome } from '../decide/deliver.js';
import { isUp, openWorkerConnection, type RedisConnection } from '../queue/connection.js';
import type { QueueLayout, QueueShard } from '../queue/queue-layout.js';
import { DeliveryWorker } from './delivery-worker.js';
import { SharedSlots } from './shared-slots.js';

export interface DeliveryConsumerOptions {
  readonly layout: QueueLayout;
  /** Jobs that are handled at once in this process, of all shards together. */
  readonly concurrency: number;
  handle(job: DeliveryJob): Promise<JobOutcome>;
  /** Trouble of the queue itself (a lost lock, a lost connection); the consumer goes on by itself. */
  onTrouble(error: Error): void;
}

export interface DeliveryConsumer {
  /** Jobs that are being handled. */
  readonly inHand: number;
  /** Starts taking jobs. */
  start(): void;
  /** Takes no further job and resolves when those in hand have ended. */
  stop(): Promise<void>;
}

/**
 * A worker that dies leaves its job to another within LOCK_MS + STALLED_CHECK_MS = 22.5 s
 * (docs/reference/webhooks.md). A stall is never the last one: dying workers must not fail a delivery for good.
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 7_500;
const NEVER_TOO_OFTEN = 1_000_000;

/** A worker of BullMQ fetches one job after the other, a round trip each: several fetch side by side, over all shards. */
const FETCHERS = 8;

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

/**
 * Takes jobs of every shard. A Redis that is away keeps nobody from the others: its shards wait, and what they had in
 * hand is settled in the record.
 */
export function createDeliveryConsumer(options: DeliveryConsumerOptions): DeliveryConsumer {
  const { layout } = options;
  const connections = new Map<string, RedisConnection>();
  for (const { redisUrl } of layout.shards) {
    if (!connections.has(redisUrl)) connections.set(redisUrl, openWorkerConnection(redisUrl));
  }
  const slots = new SharedSlots({
    slots: options.concurrency,
    shards: layout.shards.length,
    onLimits(limits) {
      for (const [shard, limit] of limits.entries()) consumers[shard]?.limit(limit);
    },
  });
  const consumers = layout.shards.map((shard) =>
    consumeShard(shard, connections.get(shard.redisUrl) as RedisConnection, slots, options),
  );
  return {
    get inHand() {
      return slots.inUse;
    },
    start() {
      for (const consumer of consumers) consumer.start();
    },
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      for (const connection of connections.values()) connection.disconnect();
    },
  };
}

function consumeShard(shard: QueueShard, redis: RedisConnection, slots: SharedSlots, options: DeliveryConsumerOptions) {
  const inHand = new Set<Promise<unknown>>();
  const fetchers = Math.min(Math.ceil(FETCHERS / options.layout.shards.length), options.concurrency);
  const leftToDo = new WeakMap<Job, () => Promise<void>>();
  const run = async (job: Job<DeliveryJob, void, string>) => {
    const parsed = deliveryJobSchema.safeParse(job.data);
    // Nobody of ours wrote this job, and no retry will make it one of ours.
    if (!parsed.success) throw new UnrecoverableError('The data of the job are not those of a delivery.');
    const handled = slots.run(shard.number, () => options.handle(parsed.data));
    inHand.add(handled);
    const outcome = await handled.finally(() => inHand.delete(handled));
    if (outcome.kind === 'retry') throw new RetryLater(outcome.reason, Math.ceil(outcome.delayMs));
    if (outcome.afterwards) leftToDo.set(job, outcome.afterwards);
  };
  const workers = Array.from({ length: fetchers }, () => {
    const worker = new DeliveryWorker(shard.queueName, run, {
      connection: redis,
      prefix: options.layout.prefix,
      concurrency: Math.ceil(options.concurrency / fetchers),
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: NEVER_TOO_OFTEN,
      // Jobs say so themselves, unless what they say is lost: one that was kept as failed would hide its delivery.
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      settings: {
        // 0 would mean "now" and skip the delayed set; the record has said when.
        backoffStrategy: (_attempts, _type, error) =>
          error instanceof RetryLater ? Math.max(1, error.delayMs) : 1_000,
      },
    });
    worker.on('error', (error) => options.onTrouble(error));
    worker.on('completed', (job) => void leftToDo.get(job)?.().catch(options.onTrouble));
    return worker;
  });
  const ofEach = (work: (worker: (typeof workers)[number]) => unknown) => Promise.all(workers.map(work));
  let running: Promise<unknown> | undefined;
  return {
    limit(jobs: number) {
      for (const worker of workers) worker.limit = Math.ceil(jobs / fetchers);
    },
    start() {
      running = ofEach((worker) => worker.run().catch((error: Error) => options.onTrouble(error)));
    },
    async stop() {
      // Jobs cannot be given back to a Redis that is gone, perhaps for ever; only what they do is waited for.
      if (isUp(redis)) {
        const lost = new Promise<'lost'>((resolve) => redis.once('close', () => resolve('lost')));
        if ((await Promise.race([ofEach((worker) => worker.close()).then(() => running), lost])) !== 'lost') return;
        await Promise.allSettled([...inHand]);
        await ofEach((worker) => worker.stopRenewing());
        // Without waiting for its end: a connection that was about to be opened again has none.
        await ofEach((worker) => worker.backend.disconnectBlocking(false).catch(() => undefined));
      } else {
        const closed = ofEach((worker) => worker.close(true));
        await Promise.allSettled([...inHand]);
        await closed;
      }
    },
  };
}
