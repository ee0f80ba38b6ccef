import { describe, expect, test } from '@jest/globals';
import { bucketOf, bucketsOf, QUEUE_BUCKETS, shardOf } from './queue-shard.js';

const ids = Array.from({ length: 6_400 }, (_, n) => `dst_01996f3a5c2e${n.toString(16).padStart(20, '0')}`);

describe('the shard of a destination', () => {
  test('never changes while the number of shards stays, on any machine', () => {
    expect(ids.slice(0, 6).map((id) => bucketOf(id))).toEqual([19, 0, 0, 50, 9, 56]);
    expect(ids.slice(0, 6).map((id) => shardOf(id, 4))).toEqual([3, 0, 0, 2, 1, 0]);
  });

  test('is the only one while there is one', () => {
    expect(new Set(ids.map((id) => shardOf(id, 1)))).toEqual(new Set([0]));
  });

  test.each([2, 3, 4, 7, 16, 64])('spreads destinations evenly over %i shards', (shards) => {
    const counts = new Map<number, number>();
    for (const id of ids) counts.set(shardOf(id, shards), (counts.get(shardOf(id, shards)) ?? 0) + 1);
    expect(counts.size).toBe(shards);
    const share = ids.length / shards;
    for (const count of counts.values()) expect(Math.abs(count - share)).toBeLessThan(share * 0.5);
  });

  test.each([1, 2, 5, 64])('gives every bucket to one of %i shards', (shards) => {
    const all = Array.from({ length: shards }, (_, shard) => bucketsOf(shard, shards)).flat();
    expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: QUEUE_BUCKETS }, (_, bucket) => bucket));
    for (const id of ids.slice(0, 100)) expect(bucketsOf(shardOf(id, shards), shards)).toContain(bucketOf(id));
  });
});
