import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { SweepPage, SweptDelivery } from '../store/sweep.js';

/** The deliveries that the queue should have, as the record knows them. */
export interface ExpectedDeliveries {
  /** Those due within `lookAheadMs`, in the order of their time, after the one given. */
  expected(page: SweepPage): Promise<readonly SweptDelivery[]>;
  /** Those that the queue should still have now. */
  stillExpected(deliveryIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Settles as skipped what is pending for destinations that are off, deleted, or without a plan; answers how many. */
  skipUndeliverable(limit: number): Promise<number>;
}

export interface SweepSettings {
  readonly page: number;
  /** Longer than the pause between sweeps, so that a lost retry is back in the queue before its time. */
  readonly lookAheadMs: number;
}

export interface SweepResult {
  /** Deliveries that the queue had lost. */
  readonly found: number;
  /** Deliveries whose job slept past their time. */
  readonly woken: number;
  readonly skipped: number;
}

/**
 * Puts back what the queue has lost (a wiped or replaced Redis, an evicted key), each at its own time, wakes what a process
 * with another clock has put off, or lets sleep, for too long, and skips what slipped past a switch-off. Everything else
 * that the queue has is left alone, so nothing is ever in it twice.
 */
export async function sweep(
  record: ExpectedDeliveries,
  queue: Pick<DeliveryQueue, 'check' | 'discard' | 'add' | 'wake'>,
  { page, lookAheadMs }: SweepSettings,
  signal: AbortSignal,
): Promise<SweepResult> {
  let skipped = 0;
  for (let batch = page; batch === page && !signal.aborted; skipped += batch) {
    batch = await record.skipUndeliverable(page);
  }
  let found = 0;
  let woken = 0;
  let after: SweptDelivery | undefined;
  while (!signal.aborted) {
    const expected = await record.expected({ lookAheadMs, after, limit: page });
    const { missing, orphaned, overdue } = await queue.check(expected);
    const lost = await record.stillExpected([...missing, ...orphaned]);
    // A job that is there would keep another one for its delivery out.
    await queue.discard(expected.filter((delivery) => orphaned.has(delivery.deliveryId)));
    await queue.add(expected.filter((delivery) => lost.has(delivery.deliveryId)));
    // The claim of one that was woken before its time is refused, and its job is delayed again.
    await queue.wake(expected.filter((delivery) => overdue.has(delivery.deliveryId)));
    found += lost.size;
    woken += overdue.size;
    after = expected.at(-1);
    if (expected.length < page) break;
  }
  return { found, woken, skipped };
}
