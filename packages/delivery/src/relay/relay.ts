import type { QueuedDelivery } from '../queue/delivery-queue.js';
import type { Relayed, RelayOrder, RelayPage } from '../store/relay.js';

/** Deliveries that wait in the record for their turn in the queue. */
export interface WaitingDeliveries {
  /** Lets `add` queue up to `limit` of those that are due and marks them; defers those that are paced. */
  handOver(
    page: Omit<RelayPage, 'buckets'>,
    add: (deliveries: readonly QueuedDelivery[]) => Promise<void>,
  ): Promise<Relayed>;
}

export interface QueueRoom {
  /** How many jobs a worker could take now. */
  due(): Promise<number>;
  add(deliveries: readonly QueuedDelivery[]): Promise<void>;
}

export interface RelaySettings {
  readonly batch: number;
  /** The queue is not filled beyond this many jobs that are due: the rest waits where it costs little. */
  readonly maxDue: number;
  readonly lookAheadMs: number;
}

/**
 * Makes what fills the queue from the record until nothing is due there or the queue is deep enough. Several replicas may
 * do it at once.
 *
 * While more is due than a page holds, every other page is shared out: whose deliveries have just been made waits for a
 * page or two, and not for all those that somebody else had before.
 *
 * @returns a function that answers how many deliveries it queued, and whether the queue had no room for more.
 */
export function relayOf(
  waiting: WaitingDeliveries,
  queue: QueueRoom,
  { batch, maxDue, lookAheadMs }: RelaySettings,
): (signal: AbortSignal) => Promise<{ readonly queued: number; readonly isFull: boolean }> {
  let order: RelayOrder = 'oldest';
  return async (signal) => {
    let queued = 0;
    while (!signal.aborted) {
      const limit = Math.min(batch, maxDue - (await queue.due()));
      if (limit <= 0) return { queued, isFull: true };
      const handedOver = await waiting.handOver({ limit, lookAheadMs, order }, (deliveries) => queue.add(deliveries));
      queued += handedOver.queued;
      if (order === 'oldest' && handedOver.queued + handedOver.deferred < limit) break;
      order = order === 'oldest' ? 'heads' : 'oldest';
    }
    return { queued, isFull: false };
  };
}
