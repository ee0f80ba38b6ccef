import { TRIGGERS, type Trigger } from '@artist-watch/domain/delivery/delivery-state';

/**
 * Whether a delivery `d` that was found by its id is pending, in words that no index of pending deliveries answers to.
 *
 * Statistics that are older than a backlog say that nothing is pending. PostgreSQL would then take such an index for the
 * short way, and read the whole backlog for each batch of ids.
 */
export const IS_PENDING = "d.state::text = 'pending'";

const COUNTED_TRIGGERS = (Object.keys(TRIGGERS) as Trigger[]).filter((trigger) => TRIGGERS[trigger].counted);

/** Whether the next attempt of a delivery `d` is one that its destination's pacing holds back: the first of a round. */
export const IS_FIRST_ATTEMPT = `(d.attempt_count = d.round_start
  AND d.trigger IN (${COUNTED_TRIGGERS.map((trigger) => `'${trigger}'`).join(', ')}))`;

/**
 * A FROM item that lets its statement's transaction end before it is on the disk. For what says merely who has a delivery
 * in hand: a server that dies forgets it, and then the queue or the sweeper finds the delivery as it was. The log of the
 * server is in order, so whatever follows and does wait (its settlement) finds it written (docs/adr/0020).
 */
export const WITHOUT_WAITING_FOR_THE_DISK = `(SELECT set_config('synchronous_commit', 'off', true)) AS without_waiting`;

/** Of a delivery `d`: a change that its destination did not get. Tests are no changes. */
export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.change_id IS NOT NULL`;
