/**
 * Whether a delivery `d` that was found by its id is pending, in words that no index of pending deliveries answers to.
 *
 * Statistics that are older than a backlog say that nothing is pending. PostgreSQL would then take such an index for the
 * short way, and read the whole backlog for each batch of ids.
 */
export const IS_PENDING = "d.state::text = 'pending'";
