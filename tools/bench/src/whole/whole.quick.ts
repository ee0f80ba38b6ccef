import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run delivers every webhook once, and says what each part of the way costs', async () => {
  const text = await runQuickly('whole');

  const setting = 'http, fan-out 10, one change a request';
  expect(text).toMatch(new RegExp(`^${setting}, round 1: perSecond \\d.* of postgres \\d.* of the feeder \\d`, 'm'));
  expect(text).toMatch(new RegExp(`^${setting}, all, to the bare loop: \\d`, 'm'));
}, 300_000);
