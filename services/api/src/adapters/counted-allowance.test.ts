import type { AccountId } from '@artist-watch/domain/ids';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import { countedAllowance } from './counted-allowance.js';

const accountId = 'acc_1' as AccountId;
const now = new Date('2026-05-01T12:00:00Z');

test('each call of the allowance is counted by what became of it', async () => {
  let left = 1;
  const metrics = createMetrics({ service: 'api' });
  const allowance = countedAllowance(
    {
      reserve: async () => {
        left -= 1;
        return { kind: left >= 0 ? 'reserved' : 'spent', day: '2026-05-01' };
      },
      refund: async () => undefined,
      used: async () => 1,
    },
    metrics,
  );
  expect(await allowance.reserve({ accountId, limit: 1, now })).toMatchObject({ kind: 'reserved' });
  expect(await allowance.reserve({ accountId, limit: 1, now })).toMatchObject({ kind: 'spent' });
  await allowance.refund(accountId, '2026-05-01');
  expect(await allowance.used(accountId, now)).toBe(1);
  const text = await metrics.registry.metrics();
  for (const result of ['taken', 'refused', 'given_back']) {
    expect(text).toContain(`api_tool_allowance_total{result="${result}",service="api"} 1`);
  }
});
