import type { Relayed, RelayOrder, RelayPage } from '../store/relay.js';

export interface RelayOptions {
  /** How many jobs of the queue a worker could take now, and how many are in a worker's hands. */
  depth(): Promise<{ readonly due: number; readonly active: number }>;
  /** Queues up to `limit` of the deliveries that are due in the record; defers those that are paced. */
  handOver(page: Omit<RelayPage, 'buckets'>): Promise<Relayed>;
  readonly batch: number;
  /** The queue is not filled beyond this many jobs that are due: the rest waits where it costs little. */
  readonly maxDue: number;
  readonly lookAheadMs: number;
}

/**
 * The oldest deliveries are handed over while fewer than this, for each destination with a long backlog, are in the queue or
 * in a worker's hands. So the backlog of one destination arrives in small parts, and pauses while deliveries to others are
 * under way; where many destinations have long backlogs they keep the workers busy (docs/adr/0030).
 */
const FOR_LONG_BACKLOG = 16;

/** After a page with so many the next one keeps its plan: to make one takes as long as to hand them over. */
const ENOUGH_FOR_A_PLAN = 8;

/**
 * Makes what fills the queue from the record until nothing is due there or the queue is deep enough. Several replicas may
 * do it at once.
 *
 * While more is due than a page holds, every other page is shared out, and only those fill the queue beyond a few: whose
 * deliveries have just been made waits for a page or two, and not for all those that somebody else had before. When a shared
 * page is not full, few destinations with long backlogs are left: they wait for the next run, and from then on each run takes
 * one page, the oldest and a shared one by turns.
 *
 * @returns a function that answers how many deliveries it queued, and whether it is to run again soon.
 */
export function relayOf({
  depth,
  handOver,
  batch,
  maxDue,
  lookAheadMs,
}: RelayOptions): (signal: AbortSignal) => Promise<{ readonly queued: number; readonly readsAgainSoon: boolean }> {
  let order: RelayOrder = 'oldest';
  let onlyLongBacklogs = false;
  /** How many destinations had any in the last shared page. */
  let backlogs = 1;
  let taken = 0;
  return async (signal) => {
    let queued = 0;
    while (!signal.aborted) {
      const { due, active } = await depth();
      if (due >= maxDue) return { queued, readsAgainSoon: true };
      const forLongBacklogs = FOR_LONG_BACKLOG * backlogs - due - active;
      if (forLongBacklogs <= 0) order = 'heads';
      const limit = Math.min(batch, maxDue - due, order === 'heads' ? batch : forLongBacklogs);
      const page = { limit, lookAheadMs, order, keepsPlan: taken >= ENOUGH_FOR_A_PLAN };
      const handedOver = await handOver(page);
      queued += handedOver.queued;
      taken = handedOver.queued + handedOver.deferred;
      const wasShared = order === 'heads';
      order = wasShared || taken < limit ? 'oldest' : 'heads';
      if (wasShared) backlogs = Math.max(1, handedOver.destinations);
      if (taken < limit) {
        onlyLongBacklogs = wasShared && taken > 0;
        return { queued, readsAgainSoon: onlyLongBacklogs };
      }
      if (wasShared) onlyLongBacklogs = false;
      if (onlyLongBacklogs) return { queued, readsAgainSoon: true };
    }
    return { queued, readsAgainSoon: false };
  };
}
