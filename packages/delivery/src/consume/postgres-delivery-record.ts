import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import { skipPending } from '@artist-watch/persistence/destination/skip-undeliverable';
import { sleep } from '@artist-watch/runtime/clock';
import { MicroBatch } from '@artist-watch/runtime/micro-batch';
import type pg from 'pg';
import type {
  AttemptToSettle,
  Claim,
  DeliveryClaims,
  FailureNotification,
  Monotonic,
  SettledAttempt,
} from '../decide/ports.js';
import {
  type ClaimRefusal,
  claimDeliveries,
  explainRefusals,
  type ReleasedClaim,
  releaseDeliveries,
} from '../store/claims.js';
import { type Deferral, deferDeliveries } from '../store/deferral.js';
import { type LongRun, type SettledBatch, type SettlementLimits, settleAttempts } from '../store/settlement.js';

export interface PostgresDeliveryRecordOptions {
  readonly pool: pg.Pool;
  readonly monotonic: Monotonic;
  /** Longer than an attempt can take. */
  readonly leaseMs: number;
  readonly limits: SettlementLimits;
  /** None unless given. */
  readonly tracing?: Tracing;
  /** Ends the waiting for a record that is away. */
  readonly signal: AbortSignal;
  onTrouble(where: string, error: unknown): void;
}

const BATCH_ITEMS = 500;
/** Under load batches form by themselves while the one before is on its way; an idle worker waits for nobody. */
const BATCH_WAIT_MS = 0;
/** A second statement goes beside one that takes longer than usual; until then larger batches cost less. */
const BESIDE_AFTER_MS = 10;
const SETTLE_AGAIN_MS = 1_000;

/** The record of deliveries in PostgreSQL, many at a time: one statement serves all that ask in the same moment. */
export function createPostgresDeliveryRecord(
  options: PostgresDeliveryRecordOptions,
): DeliveryClaims & { stop(): Promise<void> } {
  const { pool, monotonic, leaseMs, limits, tracing = noTracing } = options;
  const batch = <Item, Result>(maxRunning: number, run: (items: readonly Item[]) => Promise<readonly Result[]>) =>
    new MicroBatch<Item, Result>({
      maxItems: BATCH_ITEMS,
      maxWaitMs: BATCH_WAIT_MS,
      maxWaitBesideMs: BESIDE_AFTER_MS,
      maxRunning,
      run,
    });

  const claims = batch<string, Claim | undefined>(2, async (ids) => {
    const askedAtMs = monotonic.nowMs();
    const claimed = await claimDeliveries(pool, ids, leaseMs);
    return claimed.map((claim) => claim && Object.assign(claim, { askedAtMs }));
  });
  const refusals = batch<string, ClaimRefusal>(2, (ids) => explainRefusals(pool, ids));
  const settlements = batch<AttemptToSettle, SettledAttempt>(2, settleUntilWritten);
  const written = <Item>(write: (pool: pg.Pool, items: readonly Item[]) => Promise<void>) =>
    batch<Item, void>(1, async (items) => {
      await write(pool, items);
      return items.map(() => undefined);
    });
  const releases = written<ReleasedClaim>(releaseDeliveries);
  const deferrals = written<Deferral>(deferDeliveries);

  /**
   * While the record is away, the worker keeps its settlements and offers them again, or the receiver would get the same
   * attempt twice. Offering one twice is harmless: when only the answer was lost, all are superseded. Then a switch-off among
   * them is in the record, but in no log of ours, and the sweeper skips what is pending.
   */
  async function settleUntilWritten(items: readonly AttemptToSettle[]): Promise<readonly SettledAttempt[]> {
    for (;;) {
      try {
        const nowMs = monotonic.nowMs();
        const settlements = items.map((item) => ({ endedAgoMs: nowMs - item.endedAtMs, ...item }));
        return withNotifications(await settleAttempts(pool, settlements, limits));
      } catch (error) {
        options.onTrouble('record.settle', error);
        if (options.signal.aborted) throw error;
        await sleep(SETTLE_AGAIN_MS);
      }
    }
  }

  const skips = new Map<string, Promise<void>>();

  /** One run for all who ask meanwhile: each goes through the whole backlog. What it passes over is left to the sweeper. */
  function skipUndeliverable(destinationId: string): Promise<void> {
    const run = skips.get(destinationId) ?? skipPending(pool, destinationId).finally(() => skips.delete(destinationId));
    skips.set(destinationId, run);
    return run;
  }

  return {
    claim: async (deliveryId) => (await claims.add(deliveryId)) ?? refusals.add(deliveryId),
    settle: (attempt) => tracing.span('delivery.settle', {}, () => settlements.add(attempt)),
    release: ({ deliveryId, claimedUntil }, delayMs) => releases.add({ deliveryId, claimedUntil, delayMs }),
    defer: (deliveryId, until) => deferrals.add({ deliveryId, until }),
    skipUndeliverable,
    async stop() {
      await Promise.all([claims.stop(), settlements.stop(), releases.stop(), deferrals.stop()]);
      await refusals.stop();
    },
  };
}

const NONE: readonly FailureNotification[] = [];

/**
 * One result of each destination reports what the batch did to it. However many of its attempts settle together, its
 * account is warned once, it is switched off once, and its deliveries are skipped once.
 */
function withNotifications({ results, warned, switchedOff }: SettledBatch): readonly SettledAttempt[] {
  const unreported = new Map<string, FailureNotification[]>();
  const add = (kind: FailureNotification['kind'], longRuns: readonly LongRun[]) => {
    for (const { destinationId, consecutiveFailures } of longRuns) {
      const notifications = unreported.get(destinationId) ?? [];
      unreported.set(destinationId, [...notifications, { kind, consecutiveFailures }]);
    }
  };
  add('warned', warned);
  add('switched_off', switchedOff);
  const off = new Set(switchedOff.map(({ destinationId }) => destinationId));
  return results.map((result) => {
    if (result.kind === 'superseded') return result;
    const { kind, destinationId, state } = result;
    const notifications = unreported.get(destinationId) ?? NONE;
    unreported.delete(destinationId);
    return { kind, destinationId, state, retryInMs: off.has(destinationId) ? null : result.retryInMs, notifications };
  });
}
