import { expect, test } from '@jest/globals';
import type { RelayPage } from '../store/relay.js';
import { relayOf } from './relay.js';

const settings = { batch: 10, maxDue: 1_000, lookAheadMs: 200 };
const { signal } = new AbortController();

/** Deliveries that are due, of very many lines, or most of them of a single one, whose heads never fill a page. */
function recordOf(count: number, lines: 'many' | 'one' = 'one', destinations = 1) {
  const pages: Omit<RelayPage, 'buckets'>[] = [];
  let left = count;
  return {
    pages,
    handOverTo: (queue: { add(count: number): void }) => async (page: Omit<RelayPage, 'buckets'>) => {
      pages.push(page);
      const taken = Math.min(left, page.order === 'heads' && lines === 'one' ? Math.ceil(page.limit / 2) : page.limit);
      left -= taken;
      queue.add(taken);
      return { queued: taken, deferred: 0, destinations };
    },
  };
}

/** A queue with room for a page, which is made again by `empty`. */
function queueOf(room: number) {
  let due = 0;
  return {
    depth: async () => ({ due: due < room ? 0 : settings.maxDue, active: 0 }),
    count: () => due,
    add(count: number) {
      due += count;
    },
    empty() {
      due = 0;
    },
  };
}

test('while more is due than a page holds every other page is shared out, and all are handed over', async () => {
  const record = recordOf(38, 'many');
  const queue = queueOf(1_000);
  const relay = relayOf({ ...settings, depth: queue.depth, handOver: record.handOverTo(queue) });
  expect(await relay(signal)).toEqual({ queued: 38, readsAgainSoon: true });
  expect(await relay(signal)).toEqual({ queued: 0, readsAgainSoon: false });
  expect(record.pages.map(({ order }) => order)).toEqual(['oldest', 'heads', 'oldest', 'heads', 'oldest']);
});

test('what fits into a page is handed over with one look at the record', async () => {
  const record = recordOf(9);
  const queue = queueOf(1_000);
  const relay = relayOf({ ...settings, depth: queue.depth, handOver: record.handOverTo(queue) });
  expect(await relay(signal)).toEqual({ queued: 9, readsAgainSoon: false });
  expect(record.pages).toEqual([{ limit: 10, lookAheadMs: 200, order: 'oldest', keepsPlan: false }]);
});

test('a queue that has room for one page at a time gets a shared one every other time', async () => {
  const record = recordOf(100);
  const queue = queueOf(1);
  const relay = relayOf({ ...settings, depth: queue.depth, handOver: record.handOverTo(queue) });
  for (let turn = 0; turn < 4; turn += 1) {
    queue.empty();
    await relay(signal);
  }
  expect(record.pages.map(({ order }) => order)).toEqual(['oldest', 'heads', 'oldest', 'heads']);
});

test('of one long line a few come with each look, and none but a shared few while others are under way', async () => {
  const record = recordOf(10_000);
  const queue = queueOf(1_000);
  let active = 0;
  const depth = async () => ({ due: queue.count(), active });
  const relay = relayOf({ ...settings, batch: 1_000, depth, handOver: record.handOverTo(queue) });
  const pages = async (looks: number) => {
    record.pages.length = 0;
    for (let look = 0; look < looks; look += 1) {
      queue.empty();
      expect((await relay(signal)).readsAgainSoon).toBe(true);
    }
    return record.pages.map(({ order, limit }) => [order, limit]);
  };
  expect(await pages(4)).toEqual([
    ['oldest', 16],
    ['heads', 984],
    ['oldest', 16],
    ['heads', 1_000],
    ['oldest', 16],
  ]);
  active = 10;
  expect(await pages(3)).toEqual([
    ['heads', 1_000],
    ['oldest', 6],
    ['heads', 1_000],
  ]);
  active = 16;
  expect(await pages(2)).toEqual([
    ['heads', 1_000],
    ['heads', 1_000],
  ]);
});

test('where several destinations have long lines each gets as much as one would', async () => {
  const record = recordOf(10_000, 'one', 10);
  const queue = queueOf(1_000);
  const depth = async () => ({ due: queue.count(), active: 100 });
  const relay = relayOf({ ...settings, batch: 1_000, depth, handOver: record.handOverTo(queue) });
  for (let look = 0; look < 2; look += 1) {
    queue.empty();
    await relay(signal);
  }
  expect(record.pages.map(({ order, limit }) => [order, limit])).toEqual([
    ['heads', 1_000],
    ['oldest', 60],
  ]);
});
