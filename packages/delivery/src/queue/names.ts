/** One job for each pending delivery; the job's id is the delivery's. */
export const DELIVERY_QUEUE = 'webhook-deliveries';

/**
 * The name of one of several queues. The first keeps the name that it has when it is the only one, so that an upgrade
 * finds its jobs; in a cluster every key of a queue carries the hash tag `{…}`, which keeps them in one slot.
 */
export function deliveryQueueName(shard: number, inCluster: boolean): string {
  return shard === 0 && !inCluster ? DELIVERY_QUEUE : `{${DELIVERY_QUEUE}-${shard}}`;
}

/** The only name of a job in DELIVERY_QUEUE: the kind of event that is sent (docs/reference/webhooks.md). */
export const DELIVERY_JOB = 'change.confirmed';

/** In front of every key in Redis, so that several installations, or test suites, can share a server. */
export const DEFAULT_KEY_PREFIX = 'artist-watch';
