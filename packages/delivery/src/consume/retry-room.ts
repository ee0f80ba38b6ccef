import { shardOf } from '@artist-watch/domain/delivery/queue-shard';
import { every } from '@artist-watch/runtime/periodic';
import type { RetryRoom } from '../decide/ports.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';

const LOOK_EVERY_MS = 1_000;

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
  const looks = shards.map(({ queue }, shard) =>
    every({
      intervalMs: LOOK_EVERY_MS,
      signal,
      onError,
      async run() {
        isFull[shard] = (await queue.depth()).delayed >= maxDelayed;
      },
    }),
  );
  return {
    hasRoom: (destinationId) => !isFull[shardOf(destinationId, shards.length)],
    done: Promise.all(looks.map((look) => look.done)),
  };
}
