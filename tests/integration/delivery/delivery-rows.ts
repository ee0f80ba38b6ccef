import { createDeliver, type DeliverOptions, type SendReport } from '@artist-watch/delivery/deliver';
import { createDeliveryLog, createDeliveryMetrics } from '@artist-watch/delivery/delivery-log';
import { RequestSlots } from '@artist-watch/delivery/request-slots';
import type { Settlement, SettlementLimits } from '@artist-watch/delivery/store/settlement';
import { DEFAULT_RETRY_DELAYS_MS, pausesMs, WARN_AT } from '@artist-watch/domain/delivery/retry-schedule';
import {
  type DestinationSeed,
  type SeededDestination,
  seedConfirmedChanges,
  seedDestination,
} from '@artist-watch/harness/delivery-fixtures';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { noTracing } from '@artist-watch/observability/tracing/tracing';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import type pg from 'pg';

export const LIMITS: SettlementLimits = {
  warnAt: WARN_AT,
  switchOffAfter: 20,
  pausesMs: pausesMs(DEFAULT_RETRY_DELAYS_MS),
};

export interface SeededDeliveries extends SeededDestination {
  /** Oldest first. */
  readonly ids: readonly string[];
}

export async function seedWaiting(
  pool: pg.Pool,
  count: number,
  { confirmedAt = new Date(), ...seed }: DestinationSeed & { readonly confirmedAt?: Date } = {},
): Promise<SeededDeliveries> {
  const seeded = await seedDestination(pool, seed);
  const changeIds = await seedConfirmedChanges(pool, seeded.artistId, count);
  await inTransaction(pool, (client) => fanOutChanges(client, changeIds, confirmedAt));
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM deliveries WHERE destination_id = $1 ORDER BY relay_at, id',
    [seeded.destinationId],
  );
  return { ...seeded, ids: rows.map(({ id }) => id) };
}

/** There can be more deliveries than the destination's window allows. */
export async function seedReleased(pool: pg.Pool, count: number, seed?: DestinationSeed): Promise<SeededDeliveries> {
  const seeded = await seedWaiting(pool, count, seed);
  await releaseRows(pool, seeded, seeded.ids);
  return seeded;
}

export async function releaseRows(
  pool: pg.Pool,
  { destinationId }: { readonly destinationId: string },
  ids: readonly string[],
): Promise<void> {
  await pool.query('UPDATE deliveries SET relay_at = NULL, next_attempt_at = now() WHERE id = ANY($1)', [ids]);
  await pool.query('UPDATE destinations SET in_flight = in_flight + $2 WHERE id = $1', [destinationId, ids.length]);
}

export interface DestinationRow {
  readonly state: string;
  readonly failures: number;
  readonly inFlight: number;
  readonly paceMs: number | null;
  /** Null if the destination is not paused. */
  readonly pausedForMs: number | null;
}

export async function destinationRow(pool: pg.Pool, id: string): Promise<DestinationRow> {
  const { rows } = await pool.query<DestinationRow>(
    `SELECT state, consecutive_failures AS failures, in_flight AS "inFlight", pace_ms AS "paceMs",
            (extract(epoch FROM paced_until - clock_timestamp()) * 1000)::float8 AS "pausedForMs"
       FROM destinations WHERE id = $1`,
    [id],
  );
  return rows[0] as DestinationRow;
}

/** @param where condition on `d`. */
export async function countDeliveries(pool: pg.Pool, destinationId: string, where = 'true'): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries d WHERE destination_id = $1 AND ${where}`,
    [destinationId],
  );
  return rows[0]?.count ?? 0;
}

/** The attempt ended now. */
export function decideSettlement(
  destinationId: string,
  deliveryId: string,
  outcome: 'succeeded' | 'failed',
  changed: Partial<Settlement> = {},
): Settlement {
  const failed = outcome === 'failed';
  return {
    deliveryId,
    destinationId,
    attemptNumber: 1,
    outcome,
    blame: failed ? 'receiver' : null,
    statusCode: failed ? 500 : 204,
    error: failed ? 'unexpected_status' : null,
    reason: failed ? 'The receiver reported an error (status 500).' : null,
    responseExcerpt: null,
    durationMs: 12,
    endedAgoMs: 3,
    counts: true,
    nextState: failed ? 'pending' : 'succeeded',
    retryDelayMs: failed ? 60_000 : null,
    ...changed,
  };
}

/** Every request gets a 204 without using the queue and the network. */
export function createTestDeliver(pool: pg.Pool, changed: Partial<DeliverOptions> = {}) {
  const metrics = createMetrics({ service: 'test' });
  const slots = new RequestSlots(256);
  return createDeliver({
    pool,
    queue: { add: async () => undefined, addLater: async () => undefined },
    send: async (): Promise<SendReport> => ({
      result: { kind: 'answered', status: 204 },
      responseExcerpt: null,
      proxy: null,
    }),
    openSecret: () => '',
    slots,
    limits: LIMITS,
    retryDelaysMs: DEFAULT_RETRY_DELAYS_MS,
    timeoutMs: 10_000,
    log: createDeliveryLog(createLogger({ service: 'test', level: 'error' }), createDeliveryMetrics(metrics, slots)),
    tracing: noTracing,
    leaseMs: 30_000,
    claimIsFreshMs: 5_000,
    signal: new AbortController().signal,
    ...changed,
  });
}
