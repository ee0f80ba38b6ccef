import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/release-window';
import type { Database } from '@artist-watch/persistence/database/database';
import type pg from 'pg';

export interface Backlog {
  readonly pending: number;
  readonly waiting: number;
  readonly oldestDueAt: Date | null;
}

export async function readBacklog({ pool }: Database): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(
    `SELECT count(*)::int AS pending, count(relay_at)::int AS waiting, min(relay_at) AS "oldestDueAt"
       FROM deliveries WHERE state = 'pending'`,
  );
  return rows[0] as Backlog;
}

export interface BacklogWaits {
  /** At most MAX_COUNTED. Excludes paused destinations. */
  readonly waiting: number;
  /** Age of the oldest delivery whose destination has room in its release window. 0 if there is none. */
  readonly oldestWaitingMs: number;
  /** Age of the oldest released delivery without a claim. 0 if there is none. */
  readonly oldestReleasedMs: number;
}

/** Counting more deliveries would be expensive and would not help operators. */
const MAX_COUNTED = 100_000;

export async function readBacklogWaits(pool: pg.Pool): Promise<BacklogWaits> {
  const { rows } = await pool.query<BacklogWaits>({
    name: 'waits',
    text: `WITH waiting AS MATERIALIZED (
             SELECT d.relay_at, t.in_flight < ${RELEASE_WINDOW.start} AS has_room
               FROM deliveries d JOIN destinations t ON t.id = d.destination_id
              WHERE d.state = 'pending' AND d.relay_at IS NOT NULL AND t.pace_ms IS NULL LIMIT $1)
           SELECT (SELECT count(*)::int FROM waiting) AS waiting,
                  coalesce((SELECT extract(epoch FROM clock_timestamp() - min(relay_at)) * 1000 FROM waiting
                             WHERE has_room), 0)::float8 AS "oldestWaitingMs",
                  coalesce((SELECT extract(epoch FROM clock_timestamp() - next_attempt_at) * 1000 FROM deliveries
                             WHERE state = 'pending' AND relay_at IS NULL AND next_attempt_at <= statement_timestamp()
                               AND (claimed_until IS NULL OR claimed_until <= statement_timestamp())
                             ORDER BY next_attempt_at LIMIT 1), 0)::float8 AS "oldestReleasedMs"`,
    values: [MAX_COUNTED],
  });
  return rows[0] as BacklogWaits;
}
