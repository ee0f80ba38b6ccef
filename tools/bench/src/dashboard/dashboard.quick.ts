import { expect, test } from '@jest/globals';
import { runQuickly } from '../testing/quick-run.js';

test('a quick run counts the statements and bytes of every page, and compares it with bare express', async () => {
  const text = await runQuickly('dashboard');
  for (const page of ['/', '/changes', '/changes/:change', '/artists', '/artists/:artist', '/members', '/usage']) {
    // At most six, finding the session included, and less than 40 kB: this holds on every machine.
    expect(text).toMatch(new RegExp(`^${page}, statements: [1-6] `, 'm'));
    expect(text).toMatch(new RegExp(`^${page}, HTML, gzipped: [1-3]?\\d\\.\\d kB `, 'm'));
    expect(text).toMatch(new RegExp(`^${page}, to bare express: .* ≤ 3\\.00`, 'm'));
  }
});
