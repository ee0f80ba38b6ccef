/**
 * A FROM item that lets its statement's transaction end before it is on the disk. For what says merely who has a delivery
 * in hand: a server that dies forgets it, and then the queue or the sweeper finds the delivery as it was. The log of the
 * server is in order, so whatever follows and does wait (its settlement) finds it written (docs/adr/0020).
 */
export const WITHOUT_WAITING_FOR_THE_DISK = `(SELECT set_config('synchronous_commit', 'off', true)) AS without_waiting`;
