import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { MicroBatch, RUN_AGAIN } from './micro-batch.js';

describe('MicroBatch', () => {
  test('each caller gets the result of its own item, however items are grouped into batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 3 }),
        async (items, maxItems, maxRunning) => {
          const sizes: number[] = [];
          const batch = new MicroBatch<number, string>({
            maxItems,
            maxWaitMs: 0,
            maxRunning,
            run: async (batched) => {
              sizes.push(batched.length);
              return batched.map((item) => `r${item}`);
            },
          });
          const results = await Promise.all(items.map((item) => batch.add(item)));
          expect(results).toEqual(items.map((item) => `r${item}`));
          expect(sizes.every((size) => size >= 1 && size <= maxItems)).toBe(true);
          await batch.stop();
        },
      ),
    );
  });

  test('a full batch starts immediately', async () => {
    const batch = new MicroBatch<number, number>({ maxItems: 2, maxWaitMs: 60_000, run: async (items) => items });
    await expect(Promise.all([batch.add(1), batch.add(2)])).resolves.toEqual([1, 2]);
  });

  test('the total weight of a batch is limited, and an item above the limit runs alone', async () => {
    const batches: (readonly number[])[] = [];
    const batch = new MicroBatch<number, number>({
      maxItems: 10,
      weigh: (item) => item,
      maxWaitMs: 60_000,
      run: async (items) => {
        batches.push(items);
        return items;
      },
    });
    await Promise.all([4, 4, 4, 25, 1, 9, 10].map((item) => batch.add(item)));
    expect(batches).toEqual([[4, 4], [4], [25], [1, 9], [10]]);
  });

  test('an item that a batch does not process runs in the next batch, before later items', async () => {
    const batches: (readonly string[])[] = [];
    const batch = new MicroBatch<string, string>({
      maxItems: 3,
      maxWaitMs: 60_000,
      async run(items) {
        batches.push(items);
        return items.map((item, index) => (items.indexOf(item) === index ? item.toUpperCase() : RUN_AGAIN));
      },
    });
    const results = ['a', 'b', 'a', 'c'].map((item) => batch.add(item));
    expect(await Promise.all(results)).toEqual(['A', 'B', 'A', 'C']);
    expect(batches).toEqual([
      ['a', 'b', 'a'],
      ['a', 'c'],
    ]);
  });

  test('an error of one item rejects only that item, and an error of the whole batch rejects every item', async () => {
    let runs = 0;
    const batch = new MicroBatch<string, string>({
      maxItems: 3,
      maxWaitMs: 0,
      async run(items) {
        runs += 1;
        const bad = items.find((item) => item.startsWith('bad')) ?? items.find((item) => item.startsWith('away'));
        if (bad) throw new Error(bad);
        return items;
      },
      isSharedError: (error) => (error as Error).message === 'away',
    });
    const settledOf = async (items: readonly string[]) => {
      runs = 0;
      const settled = await Promise.allSettled(items.map((item) => batch.add(item)));
      return settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message));
    };
    expect(await settledOf(['a', 'bad', 'c'])).toEqual(['a', 'bad', 'c']);
    expect(runs).toBe(4);
    expect(await settledOf(['a', 'away', 'c'])).toEqual(['away', 'away', 'away']);
    expect(runs).toBe(1);
    expect(await settledOf(['bad'])).toEqual(['bad']);
    expect(runs).toBe(1);
  });

  test('a batch that is not full starts when its first item has waited for the maximum time', async () => {
    jest.useFakeTimers();
    const run = jest.fn(async (items: readonly number[]) => items);
    const batch = new MicroBatch<number, number>({ maxItems: 10, maxWaitMs: 20, run });
    const first = batch.add(1);
    await jest.advanceTimersByTimeAsync(15);
    const second = batch.add(2);
    await jest.advanceTimersByTimeAsync(4);
    expect(run).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(run.mock.calls).toEqual([[[1, 2]]]);
    await Promise.all([first, second]);
    jest.useRealTimers();
  });

  test('items that arrive while a batch runs start together when that batch ends', async () => {
    const release: (() => void)[] = [];
    const sizes: number[] = [];
    const batch = new MicroBatch<number, number>({
      maxItems: 100,
      maxWaitMs: 0,
      run: async (items) => {
        sizes.push(items.length);
        await new Promise<void>((resolve) => release.push(resolve));
        return items;
      },
    });
    const first = batch.add(0);
    await new Promise((resolve) => setImmediate(resolve));
    const others = Array.from({ length: 30 }, (_, index) => batch.add(index));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sizes).toEqual([1]);
    release.shift()?.();
    await first;
    await new Promise((resolve) => setImmediate(resolve));
    expect(sizes).toEqual([1, 30]);
    release.shift()?.();
    await Promise.all(others);
  });

  test('partial batches start at least one interval apart, and an item after a quiet interval starts immediately', async () => {
    jest.useFakeTimers();
    const release: (() => void)[] = [];
    const batches: (readonly number[])[] = [];
    const batch = new MicroBatch<number, number>({
      maxItems: 3,
      maxWaitMs: 0,
      minIntervalMs: 10,
      maxRunning: 2,
      run: async (items) => {
        batches.push(items);
        await new Promise<void>((resolve) => release.push(resolve));
        return items;
      },
    });
    const add = (...items: number[]) => items.map((item) => batch.add(item));
    const all = add(1);
    await jest.advanceTimersByTimeAsync(1);
    all.push(...add(2, 3));
    release.shift()?.();
    await jest.advanceTimersByTimeAsync(8);
    expect(batches).toEqual([[1]]);
    await jest.advanceTimersByTimeAsync(2);
    expect(batches).toEqual([[1], [2, 3]]);
    all.push(...add(4));
    await jest.advanceTimersByTimeAsync(10);
    expect(batches).toEqual([[1], [2, 3], [4]]);
    // Two batches are running, which is the maximum.
    all.push(...add(5));
    await jest.advanceTimersByTimeAsync(20);
    expect(batches).toEqual([[1], [2, 3], [4]]);
    release.shift()?.();
    release.shift()?.();
    await jest.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([[1], [2, 3], [4], [5]]);
    release.shift()?.();
    await jest.advanceTimersByTimeAsync(20);
    all.push(...add(6, 7, 8));
    expect(batches).toEqual([[1], [2, 3], [4], [5], [6, 7, 8]]);
    for (const end of release.splice(0)) end();
    await Promise.all(all);
    jest.useRealTimers();
  });

  test('an error in a batch rejects every caller of that batch, and the next batch still runs', async () => {
    let calls = 0;
    const batch = new MicroBatch<number, number>({
      maxItems: 2,
      maxWaitMs: 0,
      run: async (items) => {
        calls += 1;
        if (calls === 1) throw new Error('deadlock detected');
        return items;
      },
    });
    const settled = await Promise.allSettled([batch.add(1), batch.add(2), batch.add(3)]);
    expect(settled.map((one) => one.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  test('callers are rejected if the batch function returns too few results', async () => {
    const batch = new MicroBatch<number, number>({ maxItems: 2, maxWaitMs: 0, run: async () => [1] });
    const settled = await Promise.allSettled([batch.add(1), batch.add(2)]);
    expect(settled.every((one) => one.status === 'rejected')).toBe(true);
  });

  test('`stop` runs the waiting items, waits for them and rejects new items', async () => {
    const done: number[] = [];
    const batch = new MicroBatch<number, number>({
      maxItems: 2,
      maxWaitMs: 60_000,
      run: async (items) => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push(...items);
        return items;
      },
    });
    const pending = [1, 2, 3, 4, 5].map((item) => batch.add(item));
    await batch.stop();
    expect(done).toEqual([1, 2, 3, 4, 5]);
    await Promise.all(pending);
    await expect(batch.add(6)).rejects.toThrow('stopped');
  });
});
