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

/** What one destination has waiting alone fills this part of the queue; the rest is for the first ones of all. */
const FOR_LONG_LINES = 0.1;

/**
 * Makes what fills the queue from the record until nothing is due there or the queue is deep enough. Several replicas may
 * do it at once.
 *
 * While more is due than a page holds, every other page is shared out, and only those fill the queue beyond a tenth: whose
 * deliveries have just been made waits for a page or two, and not for all those that somebody else had before.
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
      const due = await queue.due();
      if (due >= maxDue) return { queued, isFull: true };
      const forLongLines = Math.ceil(maxDue * FOR_LONG_LINES) - due;
      if (forLongLines <= 0) order = 'heads';
      const limit = Math.min(batch, order === 'heads' ? maxDue - due : forLongLines);
      const handedOver = await waiting.handOver({ limit, lookAheadMs, order }, (deliveries) => queue.add(deliveries));
      queued += handedOver.queued;
      const taken = handedOver.queued + handedOver.deferred;
      if (taken === 0 || (order === 'oldest' && taken < limit)) break;
      if (taken < limit && forLongLines <= 0) return { queued, isFull: true };
      order = order === 'oldest' ? 'heads' : 'oldest';
    }
    return { queued, isFull: false };
  };
}
