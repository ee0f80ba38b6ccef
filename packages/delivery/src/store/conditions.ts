/**
 * The cast prevents the use of an index of pending deliveries. With old statistics, PostgreSQL would choose it and read
 * the whole backlog.
 */
export const IS_PENDING = "d.state::text = 'pending'";

/**
 * Commits without waiting for the disk. Only for claims, because a delivery whose claim is lost is simply sent again.
 * The settlement waits for the disk and also writes the claim (docs/adr/0002).
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

/** Excludes tests. */
export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.change_id IS NOT NULL`;
