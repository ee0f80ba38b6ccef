import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { inCheckout } from '../checkout.js';

test('a quick run delivers every webhook once, and measures cost, latency, isolation and memory', async () => {
  const child = spawn(process.execPath, [inCheckout('tools/bench/dist/main.js'), 'delivery', '--quick'], {
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
    /^bare loop, (https|got), round 1: cpuUs \d/m,
    /^worker, (https|got), round 1: cpuUs \d.* core share of postgres \d/m,
    /^two workers: perSecond \d/m,
    /^idle, \d+ changes, .* p99 \d/m,
    /^beside the bad ones: \d+ webhooks, .* p95 \d/m,
    /^in flight: at most [1-9]\d* requests at once, \d+ MB/m,
    /^under load, minute \d.*: \d+ MB/m,
    /worker with https \(the default\) to the bare loop with got: .* ≤ 1\.50/,
    /p95 beside the bad ones to p95 without them: .* ≤ 1\.50/,
  ]) {
    expect(text).toMatch(measured);
  }
}, 300_000);
