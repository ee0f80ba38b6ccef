/**
 * SQL condition: delivery `d`, found by its id, is pending. The cast prevents PostgreSQL from using an index of pending
 * deliveries. Statistics older than the backlog say that nothing is pending, so such an index would look cheap, and each
 * batch of ids would read the whole backlog.
 */
export const IS_PENDING = "d.state::text = 'pending'";

/**
 * A FROM item that makes the statement's transaction commit without waiting for the disk. For claims only. If the server
 * crashes and loses a claim, the queue or the sweeper finds the delivery unclaimed. The log is written in order, so the
 * settlement, which waits for the disk, also writes the claim (docs/adr/0002).
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

/** SQL condition: delivery `d` is of a change, and its destination did not get it. Excludes tests. */
export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.change_id IS NOT NULL`;
