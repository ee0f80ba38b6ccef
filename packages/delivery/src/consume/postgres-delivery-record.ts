import { skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import { MicroBatch } from '@artist-watch/runtime/micro-batch';
import type pg from 'pg';
import type { ClaimedDelivery, DeliveryRecord, Monotonic, Settlement, SettlementResult } from '../decide/ports.js';
import {
  type ClaimRefusal,
  claimDeliveries,
  explainRefusals,
  type ReleasedClaim,
  releaseDeliveries,
} from '../store/claims.js';
import { type Deferral, deferDeliveries } from '../store/deferral.js';
import { type SettlementLimits, settleAttempts } from '../store/settlement.js';
import { withNews } from './settlement-news.js';

export interface PostgresDeliveryRecordOptions {
  readonly pool: pg.Pool;
  readonly monotonic: Monotonic;
  /** Longer than an attempt can take. */
  readonly leaseMs: number;
  readonly limits: SettlementLimits;
  /** Ends the waiting for a record that is away. */
  readonly signal: AbortSignal;
  onTrouble(where: string, error: unknown): void;
}

const BATCH_ITEMS = 500;
/** Under load batches form by themselves while the one before is on its way; an idle worker waits for nobody. */
const BATCH_WAIT_MS = 0;
const SKIP_BATCH = 5_000;
const SETTLE_AGAIN_MS = 1_000;

/** The record of deliveries in PostgreSQL, many at a time: one statement serves all that ask in the same moment. */
export function createPostgresDeliveryRecord(
  options: PostgresDeliveryRecordOptions,
): DeliveryRecord & { stop(): Promise<void> } {
  const { pool, monotonic, leaseMs, limits } = options;
  const batch = <Item, Result>(maxRunning: number, run: (items: readonly Item[]) => Promise<readonly Result[]>) =>
    new MicroBatch<Item, Result>({ maxItems: BATCH_ITEMS, maxWaitMs: BATCH_WAIT_MS, maxRunning, run });

  const claims = batch<string, ClaimedDelivery | undefined>(2, async (ids) => {
    const askedAtMs = monotonic.nowMs();
    const claimed = await claimDeliveries(pool, ids, leaseMs);
    return claimed.map((claim) => claim && Object.assign(claim, { askedAtMs }));
  });
  const refusals = batch<string, ClaimRefusal>(2, (ids) => explainRefusals(pool, ids));
  const settlements = batch<Settlement, SettlementResult>(2, settleUntilWritten);
  const releases = batch<ReleasedClaim, void>(1, async (claims) => {
    await releaseDeliveries(pool, claims);
    return claims.map(() => undefined);
  });
  const deferrals = batch<Deferral, void>(1, async (deferred) => {
    await deferDeliveries(pool, deferred);
    return deferred.map(() => undefined);
  });

  /**
   * What was sent was sent: while the record is away its settlement is kept and offered again, or the receiver would
   * get the same attempt twice. Offering one twice is harmless: when only the answer was lost, all are superseded. Then a
   * switch-off among them is in the record, but in no log of ours, and the sweeper does what follows from it.
   */
  async function settleUntilWritten(items: readonly Settlement[]): Promise<readonly SettlementResult[]> {
    for (;;) {
      try {
        return await settle(items);
      } catch (error) {
        options.onTrouble('record.settle', error);
        if (options.signal.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
      }
    }
  }

  async function settle(items: readonly Settlement[]): Promise<readonly SettlementResult[]> {
    const nowMs = monotonic.nowMs();
    const settled = await settleAttempts(
      pool,
      items.map((item) => ({ endedAgoMs: nowMs - item.endedAtMs, ...item })),
      limits,
    );
    return withNews(settled);
  }

  return {
    claim: async (deliveryId) => (await claims.add(deliveryId)) ?? refusals.add(deliveryId),
    settle: (settlement) => settlements.add(settlement),
    release: ({ deliveryId, claimedUntil }, delayMs) => releases.add({ deliveryId, claimedUntil, delayMs }),
    defer: (deliveryId, until) => deferrals.add({ deliveryId, until }),
    async skipUndeliverable(destinationId) {
      while ((await skipUndeliverable(pool, { limit: SKIP_BATCH, destinationIds: [destinationId] })) === SKIP_BATCH) {}
    },
    async stop() {
      await Promise.all([claims.stop(), settlements.stop(), releases.stop(), deferrals.stop()]);
      await refusals.stop();
    },
  };
}
