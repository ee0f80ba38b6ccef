import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run measures another account beside reads and writes, and it is always answered', async () => {
  const text = await runQuickly('isolation');
  for (const atOnce of [40, 150]) {
    expect(text).toMatch(new RegExp(`^reads, ${atOnce} at once, round 1: p50Ms .*answeredElse 0\\.0$`, 'm'));
    expect(text).toMatch(new RegExp(`^writes, ${atOnce} at once, round 1: p50Ms .*answeredElse 0\\.0$`, 'm'));
    expect(text).toMatch(new RegExp(`p95 beside writes, ${atOnce} at once, to that beside as many reads: .* ≤ 1\\.50`));
  }
});
