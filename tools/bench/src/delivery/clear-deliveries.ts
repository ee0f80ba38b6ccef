import type { DeliveryServers } from './delivery-servers.js';

/** Forgets all deliveries, in the record and in the queue. No worker may be running. */
export async function clearDeliveries({ pool, redis }: DeliveryServers): Promise<void> {
  await pool.query('TRUNCATE attempts, deliveries, feed_items');
  await redis.flushdb();
}
