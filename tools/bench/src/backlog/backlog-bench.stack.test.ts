import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { inCheckout } from '../checkout.js';

test('a quick run measures the cost by backlog, the memory of Redis, and a change that goes far', async () => {
  const child = spawn(process.execPath, [inCheckout('tools/bench/dist/main.js'), 'backlog', '--quick'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(text);

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
