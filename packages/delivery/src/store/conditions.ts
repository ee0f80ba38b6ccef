/** Without the cast and with old statistics, PostgreSQL would read the whole index of pending deliveries. */
export const IS_PENDING = "d.state::text = 'pending'";

/**
 * Commits a claim without waiting for the disk, because a delivery whose claim is lost is sent again (docs/adr/0002).
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.test_body IS NULL`;
