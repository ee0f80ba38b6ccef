/** A delivery on its way from the record to the queue. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly destinationId: string;
  readonly delayMs: number;
}

/** Deliveries that wait in the record for their turn in the queue. */
export interface WaitingDeliveries {
  /** Lets `add` queue up to `limit` of those due within `lookAheadMs` and marks them; answers how many there were. */
  handOver(
    limit: number,
    lookAheadMs: number,
    add: (deliveries: readonly DueDelivery[]) => Promise<void>,
  ): Promise<number>;
}

export interface QueueRoom {
  /** How many jobs a worker could take now. */
  due(): Promise<number>;
  add(deliveries: readonly DueDelivery[]): Promise<void>;
}

export interface RelaySettings {
  readonly batch: number;
  /** The queue is not filled beyond this many jobs that are due: the rest waits where it costs little. */
  readonly maxDue: number;
  readonly lookAheadMs: number;
}

/**
 * Fills the queue from the record until nothing is due there or the queue is deep enough. Several replicas may do it at
 * once.
 *
 * @returns how many deliveries were queued.
 */
export async function relay(
  waiting: WaitingDeliveries,
  queue: QueueRoom,
  { batch, maxDue, lookAheadMs }: RelaySettings,
  signal: AbortSignal,
): Promise<number> {
  let queued = 0;
  while (!signal.aborted) {
    const limit = Math.min(batch, maxDue - (await queue.due()));
    if (limit <= 0) break;
    const handedOver = await waiting.handOver(limit, lookAheadMs, (deliveries) => queue.add(deliveries));
    queued += handedOver;
    if (handedOver < limit) break;
  }
  return queued;
}
