/** Without the cast, outdated statistics can make PostgreSQL read the whole index of pending deliveries. */
export const IS_PENDING = "d.state::text = 'pending'";

/**
 * Commits a claim without waiting for the disk. If the claim is lost, the delivery is sent again (docs/adr/0002).
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.test_body IS NULL`;
