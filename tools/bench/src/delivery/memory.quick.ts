import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run measures a worker with its slots taken, and under load', async () => {
  const text = await runQuickly('memory');

  expect(text).toMatch(/^in flight: at most [1-9]\d* requests at once, \d+ MB/m);
  expect(text).toMatch(/^under load, minute \d.*: \d+ MB/m);
}, 300_000);
