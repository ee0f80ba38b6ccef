import { shardOf } from '@artist-watch/domain/delivery/queue-shard';
import { within } from '@artist-watch/runtime/clock';
import { every } from '@artist-watch/runtime/periodic';
import type { RetryRoom } from '../decide/ports.js';
import { isUp, openQueueCommandConnection, type RedisConnection, whenReady } from './connection.js';
import { type DeliveryQueue, openDeliveryQueue, type QueuedDelivery } from './delivery-queue.js';
import type { QueueLayout, QueueShard } from './queue-layout.js';

export interface OpenShard extends QueueShard {
  readonly queue: DeliveryQueue;
  readonly redis: RedisConnection;
}

/**
 * All queues of a layout. An operation on several leaves out those whose Redis is away: their deliveries stay as
 * they are, and the caller tries again later. With a single queue the caller gets the error.
 */
export interface ShardedDeliveryQueue extends Pick<DeliveryQueue, 'add' | 'check' | 'discard' | 'wake' | 'close'> {
  /** By number. */
  readonly shards: readonly OpenShard[];
  /** Resolves when at least one Redis can take commands. */
  whenReady(timeoutMs: number): Promise<void>;
  /** Resolves when at least one Redis takes writes. */
  ping(): Promise<void>;
}

export function openShardedDeliveryQueue({ shards: layout, prefix }: QueueLayout): ShardedDeliveryQueue {
  const connections = new Map<string, RedisConnection>();
  const shards = layout.map((shard): OpenShard => {
    const redis = connections.get(shard.redisUrl) ?? openQueueCommandConnection(shard.redisUrl);
    connections.set(shard.redisUrl, redis);
    return { ...shard, redis, queue: guarded(openDeliveryQueue(redis, prefix, shard.queueName), redis) };
  });

  /** Asks each shard about its own; no answer from those that are away. */
  async function ofEach<Answer>(
    deliveries: readonly QueuedDelivery[],
    ask: (queue: DeliveryQueue, own: readonly QueuedDelivery[]) => Promise<Answer>,
  ): Promise<Answer[]> {
    const asked = byShard(deliveries, shards).map(([{ queue }, own]) => ask(queue, own));
    if (shards.length === 1) return Promise.all(asked);
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  const letEach = (operation: 'add' | 'discard' | 'wake') => async (deliveries: readonly QueuedDelivery[]) => {
    await ofEach(deliveries, (queue, own) => queue[operation](own));
  };

  return {
    shards,
    add: letEach('add'),
    async check(deliveries) {
      const found = await ofEach(deliveries, (queue, own) => queue.check(own));
      return {
        missing: new Set(found.flatMap(({ missing }) => [...missing])),
        orphaned: new Set(found.flatMap(({ orphaned }) => [...orphaned])),
        overdue: new Set(found.flatMap(({ overdue }) => [...overdue])),
      };
    },
    discard: letEach('discard'),
    wake: letEach('wake'),
    whenReady: (timeoutMs) => anyOf(shards.map(({ redis }) => whenReady(redis, timeoutMs))),
    ping: () => anyOf(shards.map(({ queue }) => queue.ping())),
    async close() {
      await Promise.all(shards.map(({ queue }) => queue.close()));
      for (const redis of connections.values()) redis.disconnect();
    },
  };
}

/** Of the shards that carry any, what each carries; the shard of each delivery is computed once. */
function byShard(
  deliveries: readonly QueuedDelivery[],
  shards: readonly OpenShard[],
): (readonly [OpenShard, readonly QueuedDelivery[]])[] {
  const ofShard = shards.map((shard) => [shard, [] as QueuedDelivery[]] as const);
  for (const delivery of deliveries) ofShard[shardOf(delivery.destinationId, shards.length)]?.[1].push(delivery);
  return ofShard.filter(([, own]) => own.length > 0);
}

/** @throws what the first of them threw, when all did. */
async function anyOf(attempts: readonly Promise<void>[]): Promise<void> {
  try {
    await Promise.any(attempts);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

const READ_EVERY_MS = 1_000;

/**
 * Retries wait in their shard of the queue until it holds `maxDelayed` jobs; beyond that in the record, so that a long
 * outage of many receivers does not fill Redis.
 *
 * @param shards all of them, by number.
 */
export function createRetryRoom(
  shards: readonly { readonly queue: DeliveryQueue }[],
  { maxDelayed, signal, onError }: { maxDelayed: number; signal: AbortSignal; onError(error: unknown): void },
): RetryRoom & { readonly done: Promise<unknown> } {
  const isFull = shards.map(() => false);
  const loops = shards.map(({ queue }, shard) =>
    every({
      intervalMs: READ_EVERY_MS,
      signal,
      onError,
      async run() {
        isFull[shard] = (await queue.depth()).delayed >= maxDelayed;
      },
    }),
  );
  return {
    hasRoom: (destinationId) => !isFull[shardOf(destinationId, shards.length)],
    done: Promise.all(loops.map((loop) => loop.done)),
  };
}

/** Longer than a command may take: BullMQ may wait for the connection before it sends one. */
const LONGEST_MS = 3_000;
/** How long a Redis that does not answer is not asked again: otherwise every caller would wait for it. */
const REST_MS = 1_000;

/** The same queue, whose operations fail at once, or soon, while its Redis is away. */
function guarded(queue: DeliveryQueue, redis: RedisConnection): DeliveryQueue {
  let trouble: unknown;
  let rest: NodeJS.Timeout | undefined;

  async function guard<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (!isUp(redis)) throw new Error('There is no connection to this Redis.');
    if (rest !== undefined) throw trouble;
    try {
      return await within(LONGEST_MS, operation(), () => {
        throw new Error('Redis did not answer in time.');
      });
    } catch (error) {
      trouble = error;
      clearTimeout(rest);
      rest = setTimeout(() => {
        rest = undefined;
      }, REST_MS).unref();
      throw error;
    }
  }

  return {
    add: (deliveries) => guard(() => queue.add(deliveries)),
    check: (deliveries) => guard(() => queue.check(deliveries)),
    discard: (deliveries) => guard(() => queue.discard(deliveries)),
    wake: (deliveries) => guard(() => queue.wake(deliveries)),
    depth: () => guard(() => queue.depth()),
    backlog: (nowMs) => guard(() => queue.backlog(nowMs)),
    ping: () => guard(() => queue.ping()),
    close: () => queue.close(),
  };
}
