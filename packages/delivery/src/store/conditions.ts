/**
 * True for a pending delivery `d` that was found by its id, in words that no index of pending deliveries matches.
 *
 * Statistics that are older than a backlog say that nothing is pending. PostgreSQL would then prefer such an index and read
 * the whole backlog for each batch of ids.
 */
export const IS_PENDING = "d.state::text = 'pending'";

/**
 * A FROM item that lets the transaction of its statement end before it is on the disk. For claims only: a server that dies
 * forgets them, and the queue or the sweeper finds the delivery as it was. The server's log is in order, so a later
 * statement that waits for the disk (the settlement) writes the claim as well (docs/adr/0002).
 */
export const WITHOUT_WAITING_FOR_THE_DISK = `(SELECT set_config('synchronous_commit', 'off', true)) AS without_waiting`;

/** True for a delivery `d` of a change that its destination did not get. Tests are not changes. */
export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.change_id IS NOT NULL`;
