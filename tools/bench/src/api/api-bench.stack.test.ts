import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { inCheckout } from '../checkout.js';
import { runQuickly } from '../testing/quick-run.js';

const page = inCheckout('docs/benchmarks/api.md');
const pageNow = () => readFile(page, 'utf8').catch(() => undefined);

test('a quick run measures everything, counts what can be counted, and leaves the results of real runs alone', async () => {
  const before = await pageNow();
  const text = await runQuickly('api');

  for (const measured of [
    /^GET \/v1\/changes, round 1: requestsPerSecond \d+\.\d+, serverCpuUs /m,
    /^bare express, round 1: requestsPerSecond /m,
    /^bare express 401, round 1: requestsPerSecond /m,
    /^GET \/v1\/changes, round 1: perSecond .* p99ToMedian \d/m,
    /^500 artists, round 1: /m,
    /^5000 changes, round 1: /m,
    /requests per second, to bare express: \d+\.\d\d .* ≥ 0\.70/,
    /401 .* to bare express: \d+\.\d\d .* ≥ 0\.80/,
    /p99 to the median: \d+\.\d\d .* ≤ 2\.00/,
  ]) {
    expect(text).toMatch(measured);
  }
  expect(text).toMatch(/^Redis round trips for each request: 1\.00 {2}≤ 1\.00$/m);
  expect(text).toMatch(/^statements for each request, key look-ups aside: 1\.00 {2}≤ 1\.00$/m);
  expect(await pageNow()).toBe(before);
}, 180_000);
