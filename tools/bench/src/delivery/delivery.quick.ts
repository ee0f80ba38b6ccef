import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run delivers every webhook once, and measures cost, latency and isolation', async () => {
  const text = await runQuickly('delivery');

  for (const measured of [
    /^bare loop, (https|got), round 1: cpuUs \d/m,
    /^worker, (https|got), round 1: cpuUs \d.* core share of postgres \d/m,
    /^two workers: perSecond \d/m,
    /^yardstick: the bare loop posts \d+ webhooks a second/m,
    /^idle, \d+ changes, .* p99 \d/m,
    /^beside the bad ones: \d+ webhooks, .* p95 \d/m,
    /worker with https \(the default\) to the bare loop with got: .* ≤ 1\.50/,
    /p95 beside the bad ones to p95 without them: .* ≤ 1\.50/,
  ]) {
    expect(text).toMatch(measured);
  }
}, 300_000);

test('a quick run delivers a flood, and what others get meanwhile', async () => {
  const text = await runQuickly('flood');

  expect(text).toMatch(/^beside the flood, round 1: p50 .* p95 \d/m);
  expect(text).toMatch(/^yardstick: the bare loop posts \d+ webhooks a second/m);
  expect(text).toMatch(/p95 beside the flood to p95 without it: .* ≤ 3\.00/);
}, 300_000);
