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
 * Of what has waited longest so many are in the queue at the most, and come with each look: a long line of one destination
 * arrives in small parts, between which workers, proxies and PostgreSQL have time for others (docs/adr/0030).
 */
const FOR_LONG_LINES = 12;

/**
 * Makes what fills the queue from the record until nothing is due there or the queue is deep enough. Several replicas may
 * do it at once.
 *
 * While more is due than a page holds, every other page is shared out, and only those fill the queue beyond a few: whose
 * deliveries have just been made waits for a page or two, and not for all those that somebody else had before. When a shared
 * page is not full, what is left are few lines that are long, and they wait for the next look.
 *
 * @returns a function that answers how many deliveries it queued, and whether it is to look again soon.
 */
export function relayOf(
  waiting: WaitingDeliveries,
  queue: QueueRoom,
  { batch, maxDue, lookAheadMs }: RelaySettings,
): (signal: AbortSignal) => Promise<{ readonly queued: number; readonly looksAgainSoon: boolean }> {
  let order: RelayOrder = 'oldest';
  return async (signal) => {
    let queued = 0;
    while (!signal.aborted) {
      const due = await queue.due();
      if (due >= maxDue) return { queued, looksAgainSoon: true };
      if (due >= FOR_LONG_LINES) order = 'heads';
      const limit = Math.min(batch, (order === 'heads' ? maxDue : Math.min(FOR_LONG_LINES, maxDue)) - due);
      const handedOver = await waiting.handOver({ limit, lookAheadMs, order }, (deliveries) => queue.add(deliveries));
      queued += handedOver.queued;
      const taken = handedOver.queued + handedOver.deferred;
      const wasShared = order === 'heads';
      order = wasShared || taken < limit ? 'oldest' : 'heads';
      if (taken < limit) return { queued, looksAgainSoon: wasShared && taken > 0 };
    }
    return { queued, looksAgainSoon: false };
  };
}
