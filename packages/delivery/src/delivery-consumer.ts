import { deliveryJobSchema, formerDeliveryJobSchema } from '@artist-watch/contracts/jobs';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import { isUp, openWorkerConnection } from './queue/connection.js';
import { DELIVERY_QUEUE, FORMER_DELIVERY_QUEUE, type QueuePlace } from './queue/delivery-queue.js';

export interface DeliveryConsumerOptions extends QueuePlace {
  /** Jobs that this process handles at the same time. */
  readonly concurrency: number;
  handle(deliveryIds: readonly string[]): Promise<void>;
  /** A fault of the queue (a lost lock, a lost connection). The consumer continues. */
  onTrouble(error: Error): void;
}

/**
 * The job of a dead worker goes to another within LOCK_MS + STALLED_CHECK_MS = 22.5 s (docs/reference/webhooks.md). A stall
 * never ends a job: dying workers must not fail a delivery.
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 7_500;
const NEVER_TOO_OFTEN = 1_000_000;

/** Takes jobs and hands their deliveries to `handle`. A job is complete when `handle` resolves. */
export function createDeliveryConsumer({ redisUrl, prefix, concurrency, handle, onTrouble }: DeliveryConsumerOptions) {
  const redis = openWorkerConnection(redisUrl);
  const inHand = new Set<Promise<void>>();

  async function process({ data }: Job): Promise<void> {
    const deliveryIds = deliveryIdsIn(data);
    // No retry will turn it into a job of ours.
    if (!deliveryIds) throw new UnrecoverableError('This is not the data of a delivery job.');
    const handled = handle(deliveryIds);
    inHand.add(handled);
    await handled.finally(() => inHand.delete(handled));
  }

  const workers = [DELIVERY_QUEUE, FORMER_DELIVERY_QUEUE].map((name) => {
    const worker = new Worker<unknown, void, string>(name, process, {
      connection: redis,
      prefix,
      concurrency,
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: NEVER_TOO_OFTEN,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', onTrouble);
    return worker;
  });

  let running: Promise<unknown> | undefined;
  return {
    start(): void {
      running = Promise.all(workers.map((worker) => worker.run().catch(onTrouble)));
    },

    /** Takes no further job and resolves when those in hand have ended. */
    async stop(): Promise<void> {
      const lost = new Promise<'lost'>((resolve) => redis.once('close', () => resolve('lost')));
      const closed = Promise.all(workers.map((worker) => worker.close())).then(() => running);
      if (!isUp(redis) || (await Promise.race([closed, lost])) === 'lost') {
        // Jobs cannot be completed in a Redis that is gone; the database has what they did.
        await Promise.allSettled([...inHand]);
        // biome-ignore lint/complexity/useLiteralKeys: protected, and its timer would renew locks forever.
        await Promise.all(workers.map((worker) => worker['lockManager'].close()));
        // Not awaited: a connection that was about to be opened again never ends.
        for (const worker of workers) void worker.backend.disconnectBlocking(false).catch(() => undefined);
      }
      redis.disconnect();
    },
  };
}

function deliveryIdsIn(data: unknown): readonly string[] | undefined {
  const parsed = deliveryJobSchema.safeParse(data);
  if (parsed.success) return parsed.data.deliveryIds;
  const former = formerDeliveryJobSchema.safeParse(data);
  return former.success ? [former.data.deliveryId] : undefined;
}
