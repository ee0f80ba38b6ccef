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
    /^a poll that finds nothing new, round 1: requestsPerSecond /m,
    /requests per second, to bare express: \d+\.\d\d .* ≥ 1\.30/,
    /to bare express with 200 items: \d+\.\d\d .* ≥ 3\.00/,
    /401 .* to bare express: \d+\.\d\d .* ≥ 0\.80/,
    /to that of bare express at half of its own: \d+\.\d\d .* ≤ 1\.00/,
    /by `q`, many changes in the table to few: rows that are looked at: \d+\.\d\d .*≤ 1\.20/,
  ]) {
    expect(text).toMatch(measured);
  }
  expect(text).toMatch(/^Redis round trips for each request: 1\.00 {2}≤ 1\.00$/m);
  expect(text).toMatch(/^statements for each request, key look-ups aside: 1\.00 {2}≤ 1\.00$/m);
  expect(await pageNow()).toBe(before);
});
