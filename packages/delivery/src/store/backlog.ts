import type { Database } from '@artist-watch/persistence/database/database';

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
