/**
 * SQL condition: delivery `d`, found by its id, is pending. The cast prevents PostgreSQL from using an index of pending
 * deliveries. If its statistics are older than the backlog, PostgreSQL assumes that nothing is pending. It would choose
 * such an index, and each batch of ids would read the whole backlog.
 */
export const IS_PENDING = "d.state::text = 'pending'";

/**
 * A FROM item that makes the statement's transaction commit without waiting for the disk. Use it only for claims. If
 * the server crashes and loses a claim, the delivery is unclaimed and is sent through the queue or the sweeper. The
 * write-ahead log is written in order, so the settlement, which waits for the disk, also writes the claim
 * (docs/adr/0002).
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

/** SQL condition: delivery `d` reports a change, and its destination did not get it. Excludes tests. */
export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.change_id IS NOT NULL`;
