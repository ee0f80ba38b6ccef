import { createHash } from 'node:crypto';

/**
 * Destinations fall into a fixed number of buckets, and buckets into shards of the queue: so the record can index what
 * waits by bucket, once and for all, however many shards there are.
 */
export const QUEUE_BUCKETS = 64;

/** From 0 to QUEUE_BUCKETS - 1; the record computes the same in SQL (the index `deliveries_relay_bucket_idx`). */
export function bucketOf(destinationId: string): number {
  return (createHash('sha256').update(destinationId).digest()[0] as number) % QUEUE_BUCKETS;
}

/** The shard, from 0 to `shards` - 1, that carries all deliveries of a destination. */
export function shardOf(destinationId: string, shards: number): number {
  return shards === 1 ? 0 : bucketOf(destinationId) % shards;
}

/** The buckets that fall into a shard; every bucket falls into one. */
export function bucketsOf(shard: number, shards: number): readonly number[] {
  return Array.from({ length: QUEUE_BUCKETS }, (_, bucket) => bucket).filter((bucket) => bucket % shards === shard);
}
