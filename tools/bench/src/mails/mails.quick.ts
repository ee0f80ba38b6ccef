import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run measures a digest, and requests to sign in with a seat and without', async () => {
  const text = await runQuickly('mails');
  for (const measured of [
    /^digest, round 1: \d.* in Node/m,
    /CPU of a digest over 20 artists: .* ≤ 1000\.0 ms/,
    /known address to unknown address/,
  ]) {
    expect(text).toMatch(measured);
  }
});
