import { describe, expect, test } from '@jest/globals';
import { SharedSlots } from './shared-slots.js';

/** Takes jobs as a queue does: as many as its limit lets it. */
function openSlots(slots: number, shards: number) {
  let limits: readonly number[] = Array.from({ length: shards }, () => slots);
  const shared = new SharedSlots({
    slots,
    shards,
    onLimits: (given) => {
      limits = given;
    },
  });
  const working = Array.from({ length: shards }, () => [] as (() => void)[]);
  const inHand = Array.from({ length: shards }, () => 0);
  return {
    limits: () => limits,
    working: () => working.map((jobs) => jobs.length),
    inHand,
    take(shard: number, jobs: number) {
      for (let job = 0; job < jobs && (inHand[shard] ?? 0) < (limits[shard] ?? 0); job += 1) {
        inHand[shard] = (inHand[shard] ?? 0) + 1;
        void shared
          .run(shard, () => new Promise<void>((resolve) => working[shard]?.push(resolve)))
          .finally(() => {
            inHand[shard] = (inHand[shard] ?? 0) - 1;
          });
      }
      return settled();
    },
    finish(shard: number) {
      working[shard]?.shift()?.();
      return settled();
    },
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('slots that several queues share', () => {
  test('one queue may use all of them while the others have nothing', async () => {
    const slots = openSlots(8, 4);
    await slots.take(0, 100);
    expect(slots.working()).toEqual([8, 0, 0, 0]);
  });

  test('no more work is done at once than there are slots, whatever the queues took', async () => {
    const slots = openSlots(8, 4);
    for (const shard of [0, 1, 2, 3]) await slots.take(shard, 100);
    expect(slots.working().reduce((sum, jobs) => sum + jobs)).toBe(8);
  });

  test('a queue that comes late gets its part as soon as slots are given back', async () => {
    const slots = openSlots(8, 2);
    await slots.take(0, 100);
    await slots.take(1, 100);
    for (let ended = 0; ended < 4; ended += 1) {
      await slots.finish(0);
      await slots.take(0, 100);
    }
    expect(slots.working()).toEqual([4, 4]);
    for (let ended = 0; ended < 20; ended += 1) {
      await slots.finish(ended % 2);
      await slots.take(ended % 2, 100);
    }
    expect(slots.working()).toEqual([4, 4]);
  });

  test('what is given back and wanted by nobody is free for any queue', async () => {
    const slots = openSlots(4, 2);
    await slots.take(0, 4);
    for (let ended = 0; ended < 4; ended += 1) await slots.finish(0);
    expect(slots.limits()).toEqual([4, 4]);
    await slots.take(1, 100);
    expect(slots.working()).toEqual([0, 4]);
  });

  test('jobs taken ahead of a slot are no more than the parts of the queues', async () => {
    const slots = openSlots(8, 4);
    await slots.take(0, 100);
    for (const shard of [1, 2, 3]) await slots.take(shard, 100);
    expect(slots.inHand).toEqual([8, 2, 2, 2]);
  });

  test('with fewer slots than queues every queue still gets a turn', async () => {
    const slots = openSlots(1, 3);
    for (const shard of [0, 1, 2]) await slots.take(shard, 1);
    expect(slots.working()).toEqual([1, 0, 0]);
    await slots.finish(0);
    expect(slots.working()).toEqual([0, 1, 0]);
    await slots.finish(1);
    expect(slots.working()).toEqual([0, 0, 1]);
  });
});
