import { expect, test } from '@jest/globals';
import { quietCollection } from './lifecycle.js';

const MB = 1_000_000;

function heapOf(before: number) {
  const heap = { usedBytes: before, busy: 0, collections: 0 };
  const check = quietCollection({
    busy: () => heap.busy,
    usedBytes: () => heap.usedBytes,
    collect() {
      heap.collections += 1;
      heap.usedBytes = 20 * MB;
    },
  });
  const runChecks = (count: number) => {
    for (let n = 0; n < count; n += 1) check();
  };
  return { heap, runChecks };
}

test('a quiet service collects the garbage from startup twice, and later only collects garbage if the heap grows', () => {
  const { heap, runChecks } = heapOf(60 * MB);
  heap.busy = 0.9;
  runChecks(5);
  expect(heap.collections).toBe(0);
  heap.busy = 0;
  runChecks(1);
  expect(heap.collections).toBe(1);
  runChecks(1_000);
  expect(heap.collections).toBe(2);
});

test('garbage from a busy period is not collected before the period ends', () => {
  const { heap, runChecks } = heapOf(60 * MB);
  runChecks(1);
  heap.usedBytes = 90 * MB;
  heap.busy = 0.3;
  runChecks(100);
  expect(heap.collections).toBe(1);
  heap.busy = 0.01;
  runChecks(1);
  expect(heap.collections).toBe(2);
});

test('two garbage collections are at least 10 checks apart', () => {
  const { heap, runChecks } = heapOf(60 * MB);
  runChecks(1);
  heap.usedBytes = 90 * MB;
  runChecks(9);
  expect(heap.collections).toBe(1);
  runChecks(1);
  expect(heap.collections).toBe(2);
});
