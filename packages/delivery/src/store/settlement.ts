import type { CountedBlame } from '@artist-watch/domain/delivery/attempt-errors';
import type { DeliveryState } from '@artist-watch/domain/delivery/delivery-state';
import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/retry-schedule';
import { anyLength, columnsOf } from '@artist-watch/persistence/database/sql-text';
import { lockDestinations } from '@artist-watch/persistence/destination/lock';
import { IS_UNDELIVERABLE, REASON_TO_SKIP } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import { type DueDelivery, IS_PENDING, releaseFrom } from './release.js';

export interface Settlement {
  readonly deliveryId: string;
  readonly destinationId: string;
  readonly attemptNumber: number;
  readonly outcome: 'succeeded' | 'failed';
  readonly blame: CountedBlame | null;
  readonly statusCode: number | null;
  /** For example `timed_out`. Null on success. */
  readonly error: string | null;
  /** A human-readable sentence. Null on success. */
  readonly reason: string | null;
  readonly responseExcerpt: string | null;
  readonly durationMs: number;
  /** Milliseconds since the attempt ended, on a monotonic clock. */
  readonly endedAgoMs: number;
  /** False for tests and resends, whose failures never count against the destination. */
  readonly counts: boolean;
  readonly nextState: 'succeeded' | 'failed' | 'pending';
  /** Milliseconds from the end of this attempt to the next one; null unless `pending`. */
  readonly retryDelayMs: number | null;
}

export interface SettledAttempt {
  /**
   * `skipped` instead of `pending` if the destination was already off or deleted, or excluded by the plan. If this
   * settlement switches the destination off, its deliveries stay `pending` until `skipPending`.
   */
  readonly state: DeliveryState;
  /** Null if there is no retry. */
  readonly retryInMs: number | null;
}

export interface LongRun {
  readonly destinationId: string;
  readonly accountId: string;
  readonly kind: 'warned' | 'switched_off';
  readonly consecutiveFailures: number;
}

export interface SettlementLimits {
  /** The account is warned when the number of consecutive failures reaches one of these. */
  readonly warnAt: readonly number[];
  readonly switchOffAfter: number;
  /** How long a failing destination is paused each time (domain/delivery/retry-schedule). */
  readonly pausesMs: readonly number[];
}

/**
 * Settles attempts in one statement and releases waiting deliveries. If the statement counts failure number
 * `switchOffAfter` in a row, it also switches the destination off.
 * @returns one result per settlement, in order, or undefined if another worker settled the attempt or the delivery was
 * skipped. The caller adds the released deliveries to the queue.
 */
export async function settleAttempts(
  pool: pg.Pool,
  settlements: readonly Settlement[],
  { warnAt, switchOffAfter, pausesMs }: SettlementLimits,
) {
  const common = [
    ...columnsOf(settlements, 'deliveryId', 'destinationId', 'attemptNumber', 'statusCode', 'responseExcerpt'),
    ...columnsOf(settlements, 'durationMs', 'endedAgoMs', 'counts'),
  ];
  // Most batches contain only successes, for which the full statement would cost PostgreSQL a third more.
  const { rows } = settlements.every(({ outcome }) => outcome === 'succeeded')
    ? await pool.query<Row>({ name: 'settle-successes', text: SETTLE_SUCCESSES, values: common })
    : await pool.query<Row>({
        name: 'settle',
        text: SETTLE,
        values: [
          ...common,
          ...columnsOf(settlements, 'outcome', 'blame', 'error', 'reason', 'nextState', 'retryDelayMs'),
          switchOffAfter,
          warnAt,
          pausesMs,
        ],
      });
  const results: (SettledAttempt | undefined)[] = Array(settlements.length).fill(undefined);
  const longRuns: LongRun[] = [];
  const released: DueDelivery[] = [];
  for (const row of rows) {
    if (row.kind === 'settled') {
      results[row.number - 1] = { state: row.state, retryInMs: row.ms === null ? null : Math.max(0, row.ms) };
    } else if (row.kind === 'released') {
      released.push({ deliveryId: row.id, attemptNumber: row.number, roundStart: row.ms ?? 0 });
    } else {
      const { kind, id: destinationId, account_id: accountId, number: consecutiveFailures } = row;
      longRuns.push({ destinationId, accountId, kind, consecutiveFailures });
    }
  }
  return { results, longRuns, released };
}

interface Row {
  readonly kind: 'settled' | 'released' | LongRun['kind'];
  /** `settled`: the 1-based position in the batch. `released`: the attempt number. Otherwise: the failures in a row. */
  readonly number: number;
  /** The id of the released delivery or of the destination. Unused for `settled`. */
  readonly id: string;
  readonly account_id: string;
  readonly state: DeliveryState;
  /** `settled`: milliseconds until the retry. `released`: the attempts before the current round (`roundStart`). */
  readonly ms: number | null;
}

/** A variant of `SETTLE` for successes, which reset the failure count and end any pause. */
const SETTLE_SUCCESSES = `
WITH input AS MATERIALIZED (
  SELECT *, clock_timestamp() - i.ended_ago_ms * interval '1 millisecond' AS ended_at
    FROM unnest(${anyLength(
      ...['$1::text[]', '$2::text[]', '$3::int[]', '$4::int[]', '$5::text[]', '$6::float8[]', '$7::float8[]'],
      '$8::bool[]',
    )})
         WITH ORDINALITY AS i(delivery_id, destination_id, number, status_code, response_excerpt, duration_ms,
                              ended_ago_ms, counts, position)
), locked AS MATERIALIZED (
  ${lockDestinations(
    'SELECT destination_id AS id FROM input',
    `t.id, t.consecutive_failures, t.pace_ms, t.in_flight, ${IS_UNDELIVERABLE} AS undeliverable`,
    'FOR NO KEY UPDATE',
  )}
), settled AS (
  UPDATE deliveries d
     SET attempt_count = i.number, state = 'succeeded', next_attempt_at = NULL, claimed_until = NULL,
         settled_at = i.ended_at
    FROM input i JOIN locked h ON h.id = i.destination_id
   WHERE d.id = i.delivery_id AND ${IS_PENDING} AND d.relay_at IS NULL AND d.attempt_count = i.number - 1
  RETURNING i.position, d.destination_id, i.counts, d.round_start = i.number - 1 AND i.counts AS was_in_flight
), attempted AS (
  INSERT INTO attempts (id, delivery_id, number, outcome, status_code, response_excerpt, started_at, ended_at)
  SELECT new_id('att', i.ended_at), i.delivery_id, i.number, 'succeeded', i.status_code, i.response_excerpt,
         i.ended_at - i.duration_ms * interval '1 millisecond', i.ended_at
    FROM input i JOIN settled s USING (position)
), room AS MATERIALIZED (
  SELECT h.*, r.ended,
         CASE WHEN NOT h.undeliverable
              THEN least(r.successes * ${RELEASE_WINDOW.perSuccess},
                         ${RELEASE_WINDOW.most} - greatest(0, h.in_flight - r.ended))
              ELSE 0 END AS room
    FROM locked h
    JOIN (SELECT destination_id, count(*)::int AS successes, count(*) FILTER (WHERE was_in_flight)::int AS ended
            FROM settled WHERE counts GROUP BY destination_id) r ON r.destination_id = h.id
), ${releaseFrom('room')}, changed AS (
  UPDATE destinations t
     SET in_flight = greatest(0, t.in_flight - c.ended) + coalesce(r.released, 0),
         consecutive_failures = CASE WHEN c.undeliverable THEN t.consecutive_failures ELSE 0 END,
         pace_ms = CASE WHEN c.undeliverable THEN t.pace_ms END,
         paced_until = CASE WHEN c.undeliverable THEN t.paced_until END
    FROM room c LEFT JOIN released_counts r ON r.id = c.id
   WHERE t.id = c.id
     AND (c.ended <> coalesce(r.released, 0) OR c.consecutive_failures > 0 OR c.pace_ms IS NOT NULL)
)
SELECT 'settled' AS kind, s.position::int AS number, NULL::text AS id, NULL::text AS account_id,
       'succeeded'::delivery_state AS state, NULL::float8 AS ms
  FROM settled s
UNION ALL
SELECT 'released', "attemptNumber", "deliveryId", NULL, NULL, "roundStart" FROM released`;

/** Builds a sentence such as "10 failed attempts in a row; the last response was 500." from row `c`. */
function reasonFor(run: string, start = ''): string {
  return `'${start}' || ${run} || ' failed attempts in a row; ' ||
           coalesce('the last response was ' || c.last_status, 'the last error was ' || c.last_error) || '.'`;
}

const SWITCH_OFF_AFTER = '$15';
const WARN_COUNTS = '$16';
const PAUSES_MS = anyLength('$17::int[]');

/**
 * `locked`: rows are locked in id order to avoid deadlocks. A lock returns the newest version of a row.
 * `grouped`: each success starts a new group of failures. Group 0 continues the stored count.
 * Example: the stored count is 8, and the batch is F F S F F F (F: failure, S: success). Group 0 has 2 failures
 * (`failures_before`), so `head_run` is 10. Group 1 has 3 failures, so `longest_inner`, `failures_after` and the new
 * count, `run_after`, are 3. The account is warned, because `head_run` reached 10.
 * `decided`: a failure during a pause does not change the pause. A later failure starts the next longer pause.
 */
const SETTLE = `
WITH input AS MATERIALIZED (
  SELECT *, clock_timestamp() - i.ended_ago_ms * interval '1 millisecond' AS ended_at
    FROM unnest(${anyLength(
      ...['$1::text[]', '$2::text[]', '$3::int[]', '$4::int[]', '$5::text[]', '$6::float8[]', '$7::float8[]'],
      ...['$8::bool[]', '$9::attempt_outcome[]', '$10::blame[]', '$11::text[]', '$12::text[]'],
      ...['$13::delivery_state[]', '$14::float8[]'],
    )})
         WITH ORDINALITY AS i(delivery_id, destination_id, number, status_code, response_excerpt, duration_ms,
                              ended_ago_ms, counts, outcome, blame, error, reason, wanted_state, delay_ms, position)
), locked AS MATERIALIZED (
  ${lockDestinations(
    'SELECT destination_id AS id FROM input',
    `t.id, t.account_id, t.consecutive_failures, t.pace_ms, t.paced_until, t.in_flight, ${REASON_TO_SKIP} AS undeliverable`,
    'FOR NO KEY UPDATE',
  )}
), next AS MATERIALIZED (
  SELECT i.*, h.undeliverable,
         CASE WHEN i.wanted_state = 'pending' AND h.undeliverable IS NOT NULL
              THEN 'skipped' ELSE i.wanted_state END AS next_state
    FROM input i JOIN locked h ON h.id = i.destination_id
), settled AS (
  UPDATE deliveries d
     SET attempt_count = i.number,
         state = i.next_state,
         next_attempt_at = CASE WHEN i.next_state = 'pending'
                                THEN i.ended_at + i.delay_ms * interval '1 millisecond' END,
         claimed_until = NULL,
         settled_at = CASE WHEN i.next_state <> 'pending' THEN i.ended_at END,
         skipped_reason = CASE WHEN i.next_state = 'skipped' THEN i.undeliverable END,
         -- The format is defined in packages/domain/src/delivery/delivery-state.ts.
         last_failure = CASE WHEN i.outcome = 'failed'
                             THEN i.error || coalesce(':' || i.status_code / 100 || 'xx', '')
                             ELSE d.last_failure END
    FROM next i
   WHERE d.id = i.delivery_id AND ${IS_PENDING} AND d.relay_at IS NULL AND d.attempt_count = i.number - 1
  RETURNING i.position, d.destination_id, d.state, d.next_attempt_at, i.outcome, i.counts, i.ended_at,
            d.round_start = i.number - 1 AND i.counts AS was_in_flight
), attempted AS (
  INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                        started_at, ended_at)
  SELECT new_id('att', i.ended_at), i.delivery_id, i.number, i.outcome, i.blame, i.status_code, i.error, i.reason,
         i.response_excerpt, i.ended_at - i.duration_ms * interval '1 millisecond', i.ended_at
    FROM input i JOIN settled s USING (position)
), grouped AS (
  SELECT s.*, count(*) FILTER (WHERE s.outcome = 'succeeded')
                OVER (PARTITION BY s.destination_id ORDER BY s.position) AS "group"
    FROM settled s WHERE s.counts
), groups AS (
  SELECT destination_id, "group", count(*) FILTER (WHERE outcome = 'failed')::int AS failures,
         max(ended_at) FILTER (WHERE outcome = 'failed') AS failed_at,
         count(*) FILTER (WHERE was_in_flight)::int AS ended, count(*) FILTER (WHERE outcome = 'succeeded')::int AS successes
    FROM grouped GROUP BY destination_id, "group"
), runs AS (
  SELECT destination_id AS id, sum(ended)::int AS ended, sum(successes)::int AS successes,
         coalesce(max(failures) FILTER (WHERE "group" = 0), 0) AS failures_before,
         coalesce(max(failures) FILTER (WHERE "group" > 0), 0) AS longest_inner,
         (array_agg(failures ORDER BY "group" DESC))[1] AS failures_after,
         (array_agg(failed_at ORDER BY "group" DESC))[1] AS failed_at
    FROM groups GROUP BY destination_id
), sums AS (
  SELECT h.*, r.ended, r.successes, r.failures_after, r.longest_inner, r.failed_at,
         h.consecutive_failures + r.failures_before AS head_run,
         -- If the threshold was lowered, the stored number of failures may already exceed it. Then the next failure
         -- switches the destination off, but a success does not.
         r.failures_before > 0 AND h.consecutive_failures + r.failures_before >= ${SWITCH_OFF_AFTER} AS head_crosses,
         CASE WHEN r.successes = 0 THEN h.pace_ms END AS pace_before,
         CASE WHEN r.successes = 0 THEN h.paced_until END AS paced_before
    FROM locked h JOIN runs r ON r.id = h.id
), decided AS MATERIALIZED (
  SELECT s.*, f.status_code AS last_status, f.error AS last_error,
         s.undeliverable IS NULL AND (s.head_crosses OR s.longest_inner >= ${SWITCH_OFF_AFTER}) AS switches_off,
         CASE WHEN s.head_crosses THEN greatest(${SWITCH_OFF_AFTER}, s.consecutive_failures + 1)
              WHEN s.longest_inner >= ${SWITCH_OFF_AFTER} THEN ${SWITCH_OFF_AFTER}
              WHEN s.successes > 0 THEN s.failures_after
              ELSE s.head_run END AS run_after,
         CASE WHEN s.undeliverable IS NOT NULL THEN s.pace_ms
              WHEN s.failed_at < s.paced_before OR s.failed_at IS NULL THEN s.pace_before
              ELSE coalesce((SELECT min(p) FROM unnest(${PAUSES_MS}) AS p WHERE p > coalesce(s.pace_before, 0)),
                            (SELECT max(p) FROM unnest(${PAUSES_MS}) AS p)) END AS pace_after,
         CASE WHEN s.undeliverable IS NULL AND (s.failed_at >= s.paced_before OR s.paced_before IS NULL)
              THEN s.failed_at END AS paced_from
    FROM sums s
    LEFT JOIN LATERAL (SELECT i.status_code, i.error FROM settled l JOIN input i USING (position)
                        WHERE l.destination_id = s.id AND l.counts AND l.outcome = 'failed'
                        ORDER BY position DESC LIMIT 1) f ON true
), room AS MATERIALIZED (
  SELECT d.id, CASE WHEN d.undeliverable IS NULL AND NOT d.switches_off AND d.pace_after IS NULL
                    THEN least(d.successes * ${RELEASE_WINDOW.perSuccess},
                               ${RELEASE_WINDOW.most} - greatest(0, d.in_flight - d.ended))
                    ELSE 0 END AS room
    FROM decided d
), ${releaseFrom('room')}, changed AS (
  UPDATE destinations t
     SET in_flight = greatest(0, t.in_flight - c.ended) + coalesce(r.released, 0),
         consecutive_failures = CASE WHEN c.undeliverable IS NULL THEN c.run_after ELSE t.consecutive_failures END,
         state = CASE WHEN c.switches_off THEN 'off' ELSE t.state END,
         switched_off_at = CASE WHEN c.switches_off THEN clock_timestamp() ELSE t.switched_off_at END,
         switched_off_reason = CASE WHEN c.switches_off THEN ${reasonFor('c.run_after', 'Switched off after ')}
                                    ELSE t.switched_off_reason END,
         pace_ms = CASE WHEN NOT c.switches_off THEN c.pace_after END,
         paced_until = CASE WHEN NOT c.switches_off AND c.pace_after IS NOT NULL
                            THEN coalesce(c.paced_from + c.pace_after * interval '1 millisecond', t.paced_until) END
    FROM decided c LEFT JOIN released_counts r ON r.id = c.id
   WHERE t.id = c.id
     AND (c.ended <> coalesce(r.released, 0) OR c.failed_at IS NOT NULL OR c.consecutive_failures > 0
          OR c.pace_ms IS NOT NULL)
), notified AS (
  SELECT c.id AS destination_id, c.account_id, 'warning'::notice_kind AS kind, w.at AS run, c.last_status, c.last_error
    FROM decided c CROSS JOIN unnest(${anyLength(`${WARN_COUNTS}::int[]`)}) AS w(at)
   WHERE c.undeliverable IS NULL AND w.at < ${SWITCH_OFF_AFTER}
     AND ((c.consecutive_failures < w.at AND c.head_run >= w.at) OR (NOT c.head_crosses AND c.longest_inner >= w.at))
  UNION ALL
  SELECT c.id, c.account_id, 'switched_off', c.run_after, c.last_status, c.last_error FROM decided c WHERE c.switches_off
), inserted_notices AS (
  INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason, last_status, last_error)
  SELECT new_id('ntc', clock_timestamp()), c.destination_id, c.kind, clock_timestamp(), c.run,
         CASE c.kind WHEN 'switched_off' THEN ${reasonFor('c.run', 'Switched off after ')} ELSE ${reasonFor('c.run')} END,
         c.last_status, c.last_error
    FROM notified c
)
SELECT 'settled' AS kind, s.position::int AS number, NULL::text AS id, NULL::text AS account_id, s.state,
       (extract(epoch FROM s.next_attempt_at - clock_timestamp()) * 1000)::float8 AS ms
  FROM settled s
UNION ALL
SELECT 'released', "attemptNumber", "deliveryId", NULL, NULL, "roundStart" FROM released
UNION ALL
SELECT CASE WHEN t.kind = 'switched_off' THEN 'switched_off' ELSE 'warned' END, t.run, t.destination_id, t.account_id,
       NULL, NULL FROM notified t`;
