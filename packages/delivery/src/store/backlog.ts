import type { Database } from '@artist-watch/persistence/database/database';
import type pg from 'pg';

/** Deliveries that are still to be made, as the record has them. */
export interface Backlog {
  readonly pending: number;
  /** Of these, how many wait in the record to be handed to the queue: now, or at the instant of a retry. */
  readonly waiting: number;
  /** The instant from which on the one that has waited longest could have been handed over; null when none could. */
  readonly oldestDueAt: Date | null;
}

/** Counted by partial indexes that hold nothing but what is pending. */
export async function readBacklog({ pool }: Database, now: Date): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(
    `SELECT (SELECT count(*)::int FROM deliveries WHERE state = 'pending') AS pending,
            (SELECT count(*)::int FROM deliveries WHERE relay_at IS NOT NULL) AS waiting,
            (SELECT min(relay_at) FROM deliveries WHERE relay_at <= $1) AS "oldestDueAt"`,
    [now],
  );
  return rows[0] as Backlog;
}

/** Deliveries that are due and wait in the record. */
export interface DueInRecord {
  /** At most COUNTED_AT_MOST. */
  readonly count: number;
  /** For how long the oldest of them has waited, in milliseconds; 0 when there is none. */
  readonly oldestMs: number;
}

/** A larger number makes no difference, and counting it would cost. */
const COUNTED_AT_MOST = 100_000;

/** Deliveries that the relay could hand to the queue now. Asks for the time in a way that an index can be searched by. */
export async function dueInRecord(pool: pg.Pool): Promise<DueInRecord> {
  const { rows } = await pool.query<DueInRecord>({
    name: 'due-in-record',
    text: `SELECT (SELECT count(*)::int
                     FROM (SELECT 1 FROM deliveries WHERE relay_at <= statement_timestamp() LIMIT $1) AS due) AS count,
                  coalesce((SELECT extract(epoch FROM clock_timestamp() - min(relay_at)) * 1000
                              FROM deliveries WHERE relay_at <= statement_timestamp()), 0)::float8 AS "oldestMs"`,
    values: [COUNTED_AT_MOST],
  });
  return rows[0] as DueInRecord;
}

/** When the next attempt of a delivery is, or was, due; null when it is settled or gone. */
export async function dueSince(pool: pg.Pool, deliveryId: string): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>({
    name: 'due-since',
    text: 'SELECT next_attempt_at AS at FROM deliveries WHERE id = $1',
    values: [deliveryId],
  });
  return rows[0]?.at ?? null;
}
