import type pg from 'pg';
import { IS_PENDING } from './is-pending.js';

/** What became of one attempt, and what follows for its delivery. */
export interface Settlement {
  readonly deliveryId: string;
  readonly attemptNumber: number;
  readonly outcome: 'succeeded' | 'failed';
  readonly blame: 'receiver' | 'policy' | null;
  readonly statusCode: number | null;
  /** A token and a sentence; null when it succeeded. */
  readonly error: string | null;
  readonly reason: string | null;
  readonly responseExcerpt: string | null;
  /** How long the attempt took, and how long ago it ended, in milliseconds of a clock that never steps. */
  readonly durationMs: number;
  readonly endedAgoMs: number;
  /** Does it count in the destination's run of failures? Tests and manual resends do not. */
  readonly counts: boolean;
  readonly next:
    | { readonly state: 'succeeded' | 'failed' }
    /** `delayMs` from the end of the attempt; `keptIn` says who wakes it: the queue, or the relay. */
    | { readonly state: 'pending'; readonly delayMs: number; readonly keptIn: 'queue' | 'record' };
}

export type SettlementResult =
  | {
      readonly kind: 'settled';
      readonly destinationId: string;
      /** Until the next attempt, from now; null when there is none. */
      readonly retryInMs: number | null;
    }
  /** Another worker settled this attempt, or the delivery was skipped meanwhile; nothing was written. */
  | { readonly kind: 'superseded' };

export interface SettledBatch {
  /** One for each settlement, in their order. */
  readonly results: readonly SettlementResult[];
  /** Destinations that this batch switched off. */
  readonly switchedOff: readonly string[];
  /** Destinations that this batch brought to a warning, with their run of failures. */
  readonly warned: readonly { readonly destinationId: string; readonly consecutiveFailures: number }[];
}

export interface SettlementLimits {
  /** The run of failures at which the account is warned, and at which the destination is switched off. */
  readonly warnAt: readonly number[];
  readonly switchOffAfter: number;
}

/**
 * Writes a batch of attempts in one statement: the attempts, what follows for their deliveries, and the destinations'
 * runs of failures with warnings and switch-off. Settlements count in the order of the batch, batches in the order in
 * which they reach a destination's row, so the switch-off happens exactly once, in the statement that counts it.
 *
 * An attempt is settled only while it is the next one of a pending delivery: what a worker says that was frozen, and
 * has been replaced since, changes nothing.
 */
export async function settleAttempts(
  pool: pg.Pool,
  settlements: readonly Settlement[],
  limits: SettlementLimits,
): Promise<SettledBatch> {
  const { rows } = await pool.query<{
    position: number | null;
    destination_id: string;
    retry_in_ms: number | null;
    run: number | null;
    switched_off: boolean | null;
    warned: boolean | null;
  }>({ name: 'settle', text: SETTLE, values: [...columnsOf(settlements), limits.switchOffAfter, limits.warnAt] });
  const results: SettlementResult[] = settlements.map(() => ({ kind: 'superseded' }));
  const switchedOff: string[] = [];
  const warned: { destinationId: string; consecutiveFailures: number }[] = [];
  for (const row of rows) {
    if (row.position !== null) {
      results[row.position - 1] = {
        kind: 'settled',
        destinationId: row.destination_id,
        retryInMs: row.retry_in_ms === null ? null : Math.max(0, row.retry_in_ms),
      };
    } else if (row.switched_off) switchedOff.push(row.destination_id);
    else if (row.warned) warned.push({ destinationId: row.destination_id, consecutiveFailures: row.run ?? 0 });
  }
  return { results, switchedOff, warned };
}

function columnsOf(settlements: readonly Settlement[]): unknown[] {
  const pending = (settlement: Settlement) => (settlement.next.state === 'pending' ? settlement.next : undefined);
  return [
    settlements.map((settlement) => settlement.deliveryId),
    settlements.map((settlement) => settlement.attemptNumber),
    settlements.map((settlement) => settlement.outcome),
    settlements.map((settlement) => settlement.blame),
    settlements.map((settlement) => settlement.statusCode),
    settlements.map((settlement) => settlement.error),
    settlements.map((settlement) => settlement.reason),
    settlements.map((settlement) => settlement.responseExcerpt),
    settlements.map((settlement) => settlement.durationMs),
    settlements.map((settlement) => settlement.endedAgoMs),
    settlements.map((settlement) => settlement.counts),
    settlements.map((settlement) => settlement.next.state),
    settlements.map((settlement) => pending(settlement)?.delayMs ?? null),
    settlements.map((settlement) => pending(settlement)?.keptIn === 'record'),
  ];
}

/**
 * The run of failures of a destination over a batch: successes cut its failures into groups; group 0 continues the run
 * that the row holds, the others start at 0. `failures_before`: group 0; `longest_inner`: the longest of the others;
 * `failures_after`: the last one. The same sums as `summariseRun` in packages/domain/src/delivery/failure-run.ts.
 *
 * Destination rows are locked in the order of their ids, so that two batches never wait for each other in a circle,
 * and only when the batch changes them: a destination without trouble is not written.
 */
const SETTLE = `
WITH input AS (
  SELECT *, clock_timestamp() - i.ended_ago_ms * interval '1 millisecond' AS ended_at
    FROM unnest($1::text[], $2::int[], $3::attempt_outcome[], $4::blame[], $5::int[], $6::text[], $7::text[],
                $8::text[], $9::float8[], $10::float8[], $11::bool[], $12::delivery_state[], $13::float8[],
                $14::bool[])
         WITH ORDINALITY AS i(delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                              duration_ms, ended_ago_ms, counts, next_state, delay_ms, kept_in_record, position)
), settled AS (
  UPDATE deliveries d
     SET attempt_count = i.number,
         state = i.next_state,
         next_attempt_at = CASE WHEN i.next_state = 'pending'
                                THEN i.ended_at + i.delay_ms * interval '1 millisecond' END,
         relay_at = CASE WHEN i.next_state = 'pending' AND i.kept_in_record
                         THEN i.ended_at + i.delay_ms * interval '1 millisecond' END,
         claimed_until = NULL,
         settled_at = CASE WHEN i.next_state <> 'pending' THEN i.ended_at END
    FROM input i
   WHERE d.id = i.delivery_id AND ${IS_PENDING} AND d.attempt_count = i.number - 1
  RETURNING i.position, d.destination_id, d.next_attempt_at
), attempted AS (
  INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                        started_at, ended_at)
  SELECT new_id('att', i.ended_at), i.delivery_id, i.number, i.outcome, i.blame, i.status_code, i.error, i.reason,
         i.response_excerpt, i.ended_at - i.duration_ms * interval '1 millisecond', i.ended_at
    FROM input i JOIN settled s USING (position)
), grouped AS (
  SELECT s.destination_id, i.outcome,
         count(*) FILTER (WHERE i.outcome = 'succeeded')
           OVER (PARTITION BY s.destination_id ORDER BY i.position) AS "group"
    FROM input i JOIN settled s USING (position)
   WHERE i.counts
), groups AS (
  SELECT destination_id, "group", count(*) FILTER (WHERE outcome = 'failed')::int AS failures
    FROM grouped GROUP BY destination_id, "group"
), runs AS (
  SELECT destination_id,
         bool_or("group" > 0) AS has_success,
         coalesce(max(failures) FILTER (WHERE "group" = 0), 0) AS failures_before,
         coalesce(max(failures) FILTER (WHERE "group" > 0), 0) AS longest_inner,
         (array_agg(failures ORDER BY "group" DESC))[1] AS failures_after
    FROM groups GROUP BY destination_id
), before AS (
  SELECT t.id, t.consecutive_failures
    FROM destinations t JOIN runs r ON r.destination_id = t.id
   WHERE t.state = 'active'
     AND (t.consecutive_failures > 0 OR r.failures_before > 0 OR r.longest_inner > 0)
   ORDER BY t.id
     FOR NO KEY UPDATE OF t
), counted AS (
  SELECT b.id, b.consecutive_failures AS run_before, r.longest_inner,
         b.consecutive_failures + r.failures_before AS head_run,
         CASE WHEN r.has_success THEN r.failures_after ELSE b.consecutive_failures + r.failures_before END AS run_after,
         greatest(b.consecutive_failures + r.failures_before, r.longest_inner) >= $15 AS switches_off
    FROM before b JOIN runs r ON r.destination_id = b.id
), changed AS (
  UPDATE destinations t
     SET consecutive_failures = CASE WHEN c.switches_off THEN $15 ELSE c.run_after END,
         state = CASE WHEN c.switches_off THEN 'off' ELSE 'active' END::destination_state,
         switched_off_at = CASE WHEN c.switches_off THEN clock_timestamp() END,
         switched_off_reason = CASE WHEN c.switches_off THEN $15 || ' failures in a row' END
    FROM counted c
   WHERE t.id = c.id AND t.state = 'active'
  RETURNING t.id, t.consecutive_failures, c.run_before, c.head_run, c.longest_inner, c.switches_off
), told AS (
  SELECT c.id AS destination_id, 'warning'::notice_kind AS kind, w.at AS run, w.at || ' failures in a row' AS reason
    FROM changed c CROSS JOIN unnest($16::int[]) AS w(at)
   WHERE w.at < $15 AND ((c.run_before < w.at AND c.head_run >= w.at) OR c.longest_inner >= w.at)
  UNION ALL
  SELECT c.id, 'switched_off', $15, $15 || ' failures in a row' FROM changed c WHERE c.switches_off
), noticed AS (
  INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason)
  SELECT new_id('ntc', clock_timestamp()), destination_id, kind, clock_timestamp(), run, reason FROM told
)
SELECT s.position::int, s.destination_id,
       (extract(epoch FROM s.next_attempt_at - clock_timestamp()) * 1000)::float8 AS retry_in_ms,
       NULL::int AS run, NULL::bool AS switched_off, NULL::bool AS warned
  FROM settled s
UNION ALL
SELECT NULL, t.destination_id, NULL, t.run, t.kind = 'switched_off', t.kind = 'warning' FROM told t`;
