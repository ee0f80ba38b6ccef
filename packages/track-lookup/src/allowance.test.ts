import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AccountId } from '@artist-watch/domain/ids';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import { countedAllowance } from './track-lookup.js';

const accountId = 'acc_1' as AccountId;
const now = new Date('2026-05-01T12:00:00Z');

test('each call is counted by its result in the metrics', async () => {
  let left = 1;
  const metrics = createMetrics({ service: 'api' });
  const allowance = countedAllowance(
    {
      reserve: async () => {
        left -= 1;
        return left >= 0 ? { kind: 'reserved', day: '2026-05-01', used: 1 } : { kind: 'spent', day: '2026-05-01' };
      },
      refund: async () => undefined,
      used: async () => 1,
    },
    metrics,
    createLogger({ service: 'api', level: 'info', stream: new PassThrough().resume() }),
  );
  expect(await allowance.reserve({ accountId, limit: 1, now })).toMatchObject({ kind: 'reserved' });
  expect(await allowance.reserve({ accountId, limit: 1, now })).toMatchObject({ kind: 'spent' });
  await allowance.refund(accountId, '2026-05-01');
  expect(await allowance.used(accountId, now)).toBe(1);
  const counted = await metrics.registry.metrics();
  for (const result of ['taken', 'refused', 'given_back']) {
    expect(counted).toContain(`artist_watch_lookup_allowance_total{result="${result}",service="api"} 1`);
  }
});

test('a failed refund is counted, and logged with its account and day', async () => {
  const metrics = createMetrics({ service: 'api' });
  const lines = new PassThrough();
  const allowance = countedAllowance(
    {
      reserve: async () => ({ kind: 'reserved', day: '2026-05-01', used: 1 }),
      refund: async () => Promise.reject(new Error('gone')),
      used: async () => 1,
    },
    metrics,
    createLogger({ service: 'api', level: 'info', stream: lines }),
  );
  await expect(allowance.refund(accountId, '2026-05-01')).rejects.toThrow('gone');
  lines.end();
  expect(JSON.parse(await text(lines))).toMatchObject({
    event: 'allowance.not_given_back',
    accountId,
    day: '2026-05-01',
    error: { message: 'gone' },
  });
  const counted = await metrics.registry.metrics();
  expect(counted).toContain('artist_watch_lookup_allowance_total{result="not_given_back",service="api"} 1');
  expect(counted).not.toContain('result="given_back"');
});
