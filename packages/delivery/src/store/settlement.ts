import type { DeliveryState } from '@artist-watch/domain/delivery/delivery-state';
import type { PaceLimits } from '@artist-watch/domain/delivery/retry-schedule';
import { ofAnyLength } from '@artist-watch/persistence/database/sql-text';
import { REASON_TO_SKIP } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import { IS_PENDING } from './conditions.js';

/** What became of one attempt, and what follows for its delivery. */
export interface Settlement {
  readonly deliveryId: string;
  readonly destinationId: string;
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
  /** Is it the first attempt of its round? */
  readonly isFirst: boolean;
  /** Its claim had the turn of a paced destination. */
  readonly hadTurn: boolean;
  readonly next:
    | { readonly state: 'succeeded' | 'failed' }
    /** `delayMs` from the end of the attempt; `inQueue`: its job waits for that, else the record. */
    | { readonly state: 'pending'; readonly delayMs: number; readonly inQueue: boolean };
}

export type SettlementResult =
  | {
      readonly kind: 'settled';
      readonly destinationId: string;
      /** `skipped` when there would be another attempt, but the destination is off or deleted. */
      readonly state: DeliveryState;
      /** Until the next attempt, from now; null when there is none. */
      readonly retryInMs: number | null;
    }
  /** Another worker settled this attempt, or the delivery was skipped meanwhile; nothing was written. */
  | { readonly kind: 'superseded' };

/** A destination with the run of failures that its account is notified of. */
export interface LongRun {
  readonly destinationId: string;
  readonly consecutiveFailures: number;
}

export interface SettledBatch {
  /** One for each settlement, in their order. */
  readonly results: readonly SettlementResult[];
  /** Destinations that this batch switched off, each once. */
  readonly switchedOff: readonly LongRun[];
  /** Destinations that this batch brought to a warning; twice where it brought one to both. */
  readonly warned: readonly LongRun[];
}

export interface SettlementLimits {
  /** The run of failures at which the account is warned, and at which the destination is switched off. */
  readonly warnAt: readonly number[];
  readonly switchOffAfter: number;
  readonly pace: PaceLimits;
}

/**
 * Writes a batch of attempts in one statement: the attempts, what follows for their deliveries, and the destinations'
 * runs of failures with warnings and switch-off. Settlements count in the order of the batch, batches in the order in
 * which they reach a destination's row, so the switch-off happens exactly once, in the statement that counts it.
 *
 * What would be tried again, for a destination that is off or without a plan by then, is skipped: nothing that was on
 * the wire at a switch-off may be sent by itself once the destination is on again.
 *
 * An attempt is settled only while it is the next one of a pending delivery: what a worker says that was frozen, and
 * has been replaced since, changes nothing.
 */
export async function settleAttempts(
  pool: pg.Pool,
  settlements: readonly Settlement[],
  limits: SettlementLimits,
): Promise<SettledBatch> {
  if (settlements.some(({ outcome }) => outcome === 'failed')) return settleAny(pool, settlements, limits);
  // Most batches are of successes that change nothing of their destinations. What else a settlement decides costs
  // PostgreSQL more than writing a few of them; it is asked for those that this leaves.
  const { rows } = await pool.query<{ position: number }>({
    name: 'settle-successes',
    text: SETTLE_SUCCESSES,
    values: [
      settlements.map((settlement) => settlement.deliveryId),
      settlements.map((settlement) => settlement.attemptNumber),
      settlements.map((settlement) => settlement.statusCode),
      settlements.map((settlement) => settlement.responseExcerpt),
      settlements.map((settlement) => settlement.durationMs),
      settlements.map((settlement) => settlement.endedAgoMs),
      settlements.map((settlement) => settlement.destinationId),
    ],
  });
  const settled = new Set(rows.map(({ position }) => position - 1));
  const left = settlements.filter((_, index) => !settled.has(index));
  const rest = left.length > 0 ? await settleAny(pool, left, limits) : { results: [], switchedOff: [], warned: [] };
  const restInOrder = rest.results.values();
  return {
    ...rest,
    results: settlements.map(({ destinationId }, index) =>
      settled.has(index)
        ? { kind: 'settled', destinationId, state: 'succeeded', retryInMs: null }
        : (restInOrder.next().value as SettlementResult),
    ),
  };
}

async function settleAny(
  pool: pg.Pool,
  settlements: readonly Settlement[],
  limits: SettlementLimits,
): Promise<SettledBatch> {
  const { rows } = await pool.query<{
    position: number | null;
    destination_id: string;
    state: DeliveryState;
    retry_in_ms: number | null;
    run: number | null;
    switched_off: boolean | null;
  }>({ name: 'settle', text: SETTLE, values: valuesOf(settlements, limits) });
  const results: SettlementResult[] = settlements.map(() => ({ kind: 'superseded' }));
  const switchedOff: LongRun[] = [];
  const warned: LongRun[] = [];
  for (const row of rows) {
    if (row.position !== null) {
      results[row.position - 1] = {
        kind: 'settled',
        destinationId: row.destination_id,
        state: row.state,
        retryInMs: row.retry_in_ms === null ? null : Math.max(0, row.retry_in_ms),
      };
    } else {
      const longRun = { destinationId: row.destination_id, consecutiveFailures: row.run ?? 0 };
      (row.switched_off ? switchedOff : warned).push(longRun);
    }
  }
  return { results, switchedOff, warned };
}

function valuesOf(settlements: readonly Settlement[], { warnAt, switchOffAfter, pace }: SettlementLimits): unknown[] {
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
    settlements.map((settlement) => pending(settlement)?.inQueue === false),
    settlements.map((settlement) => settlement.destinationId),
    settlements.map((settlement) => settlement.isFirst),
    settlements.map((settlement) => settlement.hadTurn),
    switchOffAfter,
    warnAt,
    pace.shortestMs,
    pace.longestMs,
  ];
}

/** Successes, but for those that end a run of failures or the pacing of their destination. */
const SETTLE_SUCCESSES = `
WITH input AS (
  SELECT *, clock_timestamp() - i.ended_ago_ms * interval '1 millisecond' AS ended_at
    FROM unnest(${ofAnyLength('$1::text[]', '$2::int[]', '$3::int[]', '$4::text[]', '$5::float8[]', '$6::float8[]', '$7::text[]')})
         WITH ORDINALITY AS i(delivery_id, number, status_code, response_excerpt, duration_ms, ended_ago_ms,
                              destination_id, position)
), settled AS (
  UPDATE deliveries d
     SET attempt_count = i.number, state = 'succeeded', next_attempt_at = NULL, relay_at = NULL, claimed_until = NULL,
         settled_at = i.ended_at, skipped_reason = NULL
    FROM input i
   WHERE d.id = i.delivery_id AND ${IS_PENDING} AND d.attempt_count = i.number - 1
     AND (SELECT t.consecutive_failures = 0 AND t.pace_ms IS NULL FROM destinations t WHERE t.id = i.destination_id)
  RETURNING i.position
), attempted AS (
  INSERT INTO attempts (id, delivery_id, number, outcome, status_code, response_excerpt, started_at, ended_at)
  SELECT new_id('att', i.ended_at), i.delivery_id, i.number, 'succeeded', i.status_code, i.response_excerpt,
         i.ended_at - i.duration_ms * interval '1 millisecond', i.ended_at
    FROM input i JOIN settled s USING (position)
)
SELECT position::int FROM settled`;

/**
 * The run of failures of a destination over a batch: successes cut its failures into groups; group 0 continues the run
 * that the row holds, the others start at 0. `failures_before`: group 0; `longest_inner`: the longest of the others;
 * `failures_after`: the last one. A test compares it with
 * counting them one by one.
 *
 * `steps`: the failed first attempts in a group that begin the pacing of the destination, or double its pause. A failed
 * first attempt that had no turn, of a destination that is paced by then, was on the wire already when the pacing began:
 * it is no step, and not counted, so that a burst which meets a restart is one failure and not a switch-off.
 *
 * `held`: the destinations' rows, locked before anything is written, so that what is decided by their state holds until
 * all is written. In the order of their ids, so that two batches never wait for each other in a circle, and only where
 * a failure, or a success after failures, will change them: a destination without trouble is neither locked nor written.
 */
const SETTLE = `
WITH input AS (
  SELECT *, clock_timestamp() - i.ended_ago_ms * interval '1 millisecond' AS ended_at
    FROM unnest($1::text[], $2::int[], $3::attempt_outcome[], $4::blame[], $5::int[], $6::text[], $7::text[],
                $8::text[], $9::float8[], $10::float8[], $11::bool[], $12::delivery_state[], $13::float8[],
                $14::bool[], $15::text[], $16::bool[], $17::bool[])
         WITH ORDINALITY AS i(delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                              duration_ms, ended_ago_ms, counts, wanted_state, delay_ms, waits_in_record,
                              destination_id, is_first, had_turn, position)
), concerned AS (
  SELECT destination_id AS id, bool_or(outcome = 'failed') AS has_failure FROM input
   WHERE counts OR wanted_state = 'pending'
   GROUP BY destination_id
), held AS (
  SELECT t.id, t.consecutive_failures, t.pace_ms,
         ${REASON_TO_SKIP} AS undeliverable
    FROM destinations t JOIN concerned c ON c.id = t.id
   WHERE c.has_failure OR ((t.consecutive_failures > 0 OR t.pace_ms IS NOT NULL) AND t.state = 'active')
   ORDER BY t.id
     FOR NO KEY UPDATE OF t
), decided AS (
  SELECT i.*,
         CASE WHEN i.wanted_state = 'pending'
               AND i.destination_id IN (SELECT id FROM held WHERE undeliverable IS NOT NULL)
              THEN 'skipped' ELSE i.wanted_state END AS next_state
    FROM input i
  OFFSET 0 -- Once for each row, not for each column that is set by it.
), settled AS (
  UPDATE deliveries d
     SET attempt_count = i.number,
         state = i.next_state,
         next_attempt_at = CASE WHEN i.next_state = 'pending'
                                THEN i.ended_at + i.delay_ms * interval '1 millisecond' END,
         relay_at = CASE WHEN i.next_state = 'pending' AND i.waits_in_record
                         THEN i.ended_at + i.delay_ms * interval '1 millisecond' END,
         claimed_until = NULL,
         settled_at = CASE WHEN i.next_state <> 'pending' THEN i.ended_at END,
         skipped_reason = CASE WHEN i.next_state = 'skipped'
                               THEN (SELECT undeliverable FROM held WHERE id = i.destination_id) END,
         -- As packages/domain/src/delivery/delivery-filter.ts reads it.
         last_failure = CASE WHEN i.outcome = 'failed'
                             THEN i.error || coalesce(':' || i.status_code / 100 || 'xx', '')
                             ELSE d.last_failure END
    FROM decided i
   WHERE d.id = i.delivery_id AND ${IS_PENDING} AND d.attempt_count = i.number - 1
  RETURNING i.position, d.destination_id, d.state, d.next_attempt_at
), attempted AS (
  INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                        started_at, ended_at)
  SELECT new_id('att', i.ended_at), i.delivery_id, i.number, i.outcome, i.blame, i.status_code, i.error, i.reason,
         i.response_excerpt, i.ended_at - i.duration_ms * interval '1 millisecond', i.ended_at
    FROM input i JOIN settled s USING (position)
), grouped AS (
  -- None of a destination without trouble.
  SELECT s.destination_id, i.position, i.outcome, i.is_first, i.had_turn, i.ended_at, h.pace_ms,
         count(*) FILTER (WHERE i.outcome = 'succeeded')
           OVER (PARTITION BY s.destination_id ORDER BY i.position) AS "group"
    FROM input i JOIN settled s USING (position) JOIN held h ON h.id = s.destination_id
   WHERE i.counts
), judged AS (
  SELECT g.*,
         g.outcome = 'failed' AND g.is_first
           AND (g.had_turn OR (count(*) FILTER (WHERE g.outcome = 'failed' AND g.is_first)
                                 OVER (PARTITION BY g.destination_id, g."group" ORDER BY g.position) = 1
                               AND (g."group" > 0 OR g.pace_ms IS NULL))) AS is_step
    FROM grouped g
), groups AS (
  SELECT destination_id, "group",
         count(*) FILTER (WHERE outcome = 'failed' AND (is_step OR NOT is_first))::int AS failures,
         count(*) FILTER (WHERE is_step) AS steps, max(ended_at) FILTER (WHERE is_step) AS paced_from
    FROM judged GROUP BY destination_id, "group"
), runs AS (
  SELECT destination_id,
         bool_or("group" > 0) AS has_success,
         coalesce(max(failures) FILTER (WHERE "group" = 0), 0) AS failures_before,
         coalesce(max(failures) FILTER (WHERE "group" > 0), 0) AS longest_inner,
         (array_agg(failures ORDER BY "group" DESC))[1] AS failures_after,
         (array_agg(steps ORDER BY "group" DESC))[1] AS steps,
         (array_agg(paced_from ORDER BY "group" DESC))[1] AS paced_from
    FROM groups GROUP BY destination_id
), sums AS (
  SELECT h.id, h.consecutive_failures AS run_before, r.longest_inner, r.has_success, r.failures_after,
         h.consecutive_failures + r.failures_before AS head_run,
         -- A threshold that was lowered may lie behind the run already: a failure crosses it then, a success does not.
         r.failures_before > 0 AND h.consecutive_failures + r.failures_before >= $18 AS head_crosses,
         CASE WHEN r.steps > 0
              THEN least($21::float8, coalesce(CASE WHEN NOT r.has_success THEN h.pace_ms * 2 END, $20::float8)
                                      * power(2, r.steps - 1))
              WHEN NOT r.has_success THEN h.pace_ms END AS pace_after,
         r.paced_from
    FROM held h JOIN runs r ON r.destination_id = h.id
   WHERE h.undeliverable IS NULL
), counted AS (
  SELECT *, head_crosses OR longest_inner >= $18 AS switches_off,
         CASE WHEN head_crosses THEN greatest($18, run_before + 1)
              WHEN longest_inner >= $18 THEN $18
              WHEN has_success THEN failures_after
              ELSE head_run END AS run_after
    FROM sums
), changed AS (
  UPDATE destinations t
     SET consecutive_failures = c.run_after,
         state = CASE WHEN c.switches_off THEN 'off' ELSE 'active' END::destination_state,
         switched_off_at = CASE WHEN c.switches_off THEN clock_timestamp() END,
         switched_off_reason = CASE WHEN c.switches_off THEN c.run_after || ' failures in a row' END,
         pace_ms = CASE WHEN NOT c.switches_off THEN c.pace_after END,
         paced_until = CASE WHEN NOT c.switches_off AND c.pace_after IS NOT NULL
                            THEN coalesce(c.paced_from + c.pace_after * interval '1 millisecond', t.paced_until) END
    FROM counted c
   WHERE t.id = c.id
  RETURNING t.id, t.consecutive_failures, c.run_before, c.head_run, c.head_crosses, c.longest_inner, c.switches_off
), told AS (
  SELECT c.id AS destination_id, 'warning'::notice_kind AS kind, w.at AS run
    FROM changed c CROSS JOIN unnest($19::int[]) AS w(at)
   WHERE w.at < $18 AND ((c.run_before < w.at AND c.head_run >= w.at)
                         OR (NOT c.head_crosses AND c.longest_inner >= w.at))
  UNION ALL
  SELECT c.id, 'switched_off', c.consecutive_failures FROM changed c WHERE c.switches_off
), noticed AS (
  INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason)
  SELECT new_id('ntc', clock_timestamp()), destination_id, kind, clock_timestamp(), run, run || ' failures in a row'
    FROM told
)
SELECT s.position::int, s.destination_id, s.state,
       (extract(epoch FROM s.next_attempt_at - clock_timestamp()) * 1000)::float8 AS retry_in_ms,
       NULL::int AS run, NULL::bool AS switched_off
  FROM settled s
UNION ALL
SELECT NULL, t.destination_id, NULL, NULL, t.run, t.kind = 'switched_off' FROM told t`;
