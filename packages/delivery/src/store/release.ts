import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/retry-schedule';
import { IS_UNDELIVERABLE } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';

export interface DueDelivery {
  readonly deliveryId: string;
  /** 1-based. */
  readonly attemptNumber: number;
  readonly roundStart: number;
}

/** Without the cast, outdated statistics can make PostgreSQL read the whole index of pending deliveries. */
export const IS_PENDING = "d.state::text = 'pending'";

export const DUE_COLUMNS = `d.id AS "deliveryId", d.attempt_count + 1 AS "attemptNumber", d.round_start AS "roundStart"`;

/**
 * Releases waiting deliveries, oldest first.
 * @param room relation `(id, room)` of locked destinations, where `room` is the number of deliveries to release.
 */
export function releaseFrom(room: string): string {
  return `released AS (
    UPDATE deliveries d SET relay_at = NULL, next_attempt_at = clock_timestamp()
      FROM ${room} AS o
     CROSS JOIN LATERAL (
           SELECT w.id FROM deliveries w
            WHERE w.destination_id = o.id AND w.state = 'pending' AND w.relay_at IS NOT NULL
              AND w.trigger IN ('change', 'recover')
            ORDER BY w.relay_at, w.id
            LIMIT o.room
              FOR UPDATE SKIP LOCKED) AS oldest
     WHERE o.room > 0 AND d.id = oldest.id
    RETURNING ${DUE_COLUMNS}, d.destination_id
  ), released_counts AS (
    SELECT destination_id AS id, count(*)::int AS released FROM released GROUP BY destination_id
  )`;
}

/**
 * Releases deliveries that settlements do not release, such as tests, resends and deliveries after a pause. Replicas
 * may run this concurrently, and nothing is lost if one crashes.
 * @returns the released deliveries. If there are at least `limit`, more may be waiting.
 */
export async function releaseWaiting(pool: pg.Pool, limit: number): Promise<readonly DueDelivery[]> {
  const { rows } = await pool.query<DueDelivery>({
    name: 'release-waiting',
    text: `WITH RECURSIVE waiting (id) AS (
             (SELECT d.destination_id FROM deliveries d WHERE ${IS_WAITING} ORDER BY d.destination_id LIMIT 1)
             UNION ALL
             SELECT (SELECT d.destination_id FROM deliveries d
                      WHERE ${IS_WAITING} AND d.destination_id > waiting.id ORDER BY d.destination_id LIMIT 1)
               FROM waiting WHERE waiting.id IS NOT NULL
           ), ready AS MATERIALIZED (
             SELECT t.id, CASE WHEN t.pace_ms IS NULL THEN ${RELEASE_WINDOW.start} - t.in_flight ELSE 1 END AS room
               FROM destinations t
              WHERE t.id IN (SELECT id FROM waiting WHERE id IS NOT NULL) AND NOT ${IS_UNDELIVERABLE}
                AND CASE WHEN t.pace_ms IS NULL THEN t.in_flight < ${RELEASE_WINDOW.start}
                         ELSE t.paced_until <= clock_timestamp() AND t.in_flight = 0 END
              LIMIT $1
                FOR NO KEY UPDATE SKIP LOCKED
           ), ${releaseFrom('ready')}, counted AS (
             UPDATE destinations t SET in_flight = t.in_flight + r.released FROM released_counts r WHERE t.id = r.id
           ), requested AS (
             UPDATE deliveries d SET relay_at = NULL
               FROM (SELECT id FROM deliveries
                      WHERE relay_at IS NOT NULL AND trigger IN ('test', 'resend') LIMIT $1 FOR UPDATE SKIP LOCKED) AS r
              WHERE d.id = r.id
             RETURNING ${DUE_COLUMNS})
           SELECT "deliveryId", "attemptNumber", "roundStart" FROM released
           UNION ALL SELECT * FROM requested`,
    values: [limit],
  });
  return rows;
}

const IS_WAITING = `(d.state = 'pending' AND d.relay_at IS NOT NULL)`;

export interface OverdueDelivery extends DueDelivery {
  readonly dueAt: Date;
  /** Measured on the database's clock. */
  readonly overdueMs: number;
}

/**
 * Reads unclaimed deliveries, oldest first, whose jobs the queue may have lost. Excludes deliveries that became due less
 * than `graceMs` ago, because the queue probably still has their jobs.
 */
export async function overdueDeliveries(
  pool: pg.Pool,
  { graceMs, limit, after }: { graceMs: number; limit: number; after?: OverdueDelivery | undefined },
): Promise<readonly OverdueDelivery[]> {
  const { rows } = await pool.query<OverdueDelivery>({
    name: 'overdue-deliveries',
    text: `SELECT ${DUE_COLUMNS}, d.next_attempt_at AS "dueAt",
                  EXTRACT(EPOCH FROM statement_timestamp() - d.next_attempt_at)::float8 * 1000 AS "overdueMs"
             FROM deliveries d
            WHERE d.state = 'pending' AND d.relay_at IS NULL
              AND d.next_attempt_at <= statement_timestamp() - $1 * interval '1 millisecond'
              AND (d.claimed_until IS NULL OR d.claimed_until <= statement_timestamp())
              AND (d.next_attempt_at, d.id) > ($2::timestamptz, $3::text)
            ORDER BY d.next_attempt_at, d.id
            LIMIT $4`,
    values: [graceMs, after?.dueAt ?? new Date(0), after?.deliveryId ?? '', limit],
  });
  return rows;
}
