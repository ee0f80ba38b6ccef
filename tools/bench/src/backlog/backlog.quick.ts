import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run measures the cost by backlog, the memory of Redis, and a change that goes far', async () => {
  const text = await runQuickly('backlog');

  for (const measured of [
    /^500 pending, round 1: relayUs \d.* claimUs \d.* settleUs \d.* sweepUs \d.* skipUs \d/m,
    /^2000 pending, round 1: relayUs \d/m,
    /^one change to 200: committed after \d+ ms, all queued after \d+ ms/m,
    /^Redis used_memory: .* with 2000 pending/m,
    /relay: time for each delivery, 2000 pending to 500 pending: .* ≤ 1\.30/,
    /used_memory of Redis .* ≤ 200\.0 MB/,
  ]) {
    expect(text).toMatch(measured);
  }
}, 300_000);
