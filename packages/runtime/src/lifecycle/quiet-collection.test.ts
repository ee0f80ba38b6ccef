import { expect, test } from '@jest/globals';
import { quietCollection } from './quiet-collection.js';

const MB = 1_000_000;

/** A heap that keeps 20 MB after each collection. */
function heapOf(before: number) {
  const heap = { usedBytes: before, busy: 0, collections: 0 };
  const look = quietCollection({
    busy: () => heap.busy,
    usedBytes: () => heap.usedBytes,
    collect() {
      heap.collections += 1;
      heap.usedBytes = 20 * MB;
    },
  });
  const looks = (count: number) => {
    for (let made = 0; made < count; made += 1) look();
  };
  return { heap, looks };
}

test('what the start left is collected at the first quiet look and once more, and a heap that does not grow never again', () => {
  const { heap, looks } = heapOf(60 * MB);
  heap.busy = 0.9;
  looks(5);
  expect(heap.collections).toBe(0);
  heap.busy = 0;
  looks(1);
  expect(heap.collections).toBe(1);
  looks(1_000);
  expect(heap.collections).toBe(2);
});

test('what a busy time left is collected when it is over, and not while it lasts', () => {
  const { heap, looks } = heapOf(60 * MB);
  looks(1);
  heap.usedBytes = 90 * MB;
  heap.busy = 0.3;
  looks(100);
  expect(heap.collections).toBe(1);
  heap.busy = 0.01;
  looks(1);
  expect(heap.collections).toBe(2);
});

test('between two collections there are always some looks', () => {
  const { heap, looks } = heapOf(60 * MB);
  looks(1);
  heap.usedBytes = 90 * MB;
  looks(9);
  expect(heap.collections).toBe(1);
  looks(1);
  expect(heap.collections).toBe(2);
});
