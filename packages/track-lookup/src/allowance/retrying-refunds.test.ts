import type { AccountId } from '@artist-watch/domain/ids';
import { expect, test } from '@jest/globals';
import { retryingRefunds } from './retrying-refunds.js';

const accountId = 'acc_1' as AccountId;

/** An allowance whose first tries of a refund fail, each after so long. */
function failing(tries: number, eachTakesMs = 0) {
  const time = { ms: 0 };
  const seen: string[] = [];
  const allowance = retryingRefunds(
    {
      reserve: async () => ({ kind: 'reserved', day: '2026-05-01', used: 1 }),
      async refund(account, day) {
        seen.push(`${account} ${day}`);
        time.ms += eachTakesMs;
        if (seen.length <= tries) throw new Error(`blip ${seen.length}`);
      },
      used: async () => 1,
    },
    {
      async pause(ms) {
        time.ms += ms;
      },
      monotonicMs: () => time.ms,
    },
  );
  return { allowance, seen, time };
}

test('a refund is tried again until it is written, and then no more', async () => {
  const { allowance, seen } = failing(3);
  await allowance.refund(accountId, '2026-05-01');
  expect(seen).toEqual(Array(4).fill('acc_1 2026-05-01'));
});

test('a refund that is never written ends in its last error within a few seconds', async () => {
  const { allowance, seen, time } = failing(100);
  await expect(allowance.refund(accountId, '2026-05-01')).rejects.toThrow('blip 4');
  expect(seen).toHaveLength(4);
  expect(time.ms).toBeLessThanOrEqual(3_000);
});

test('a record that lets each try wait is not tried for longer than the caller can wait', async () => {
  const { allowance, seen } = failing(100, 4_000);
  await expect(allowance.refund(accountId, '2026-05-01')).rejects.toThrow('blip 1');
  expect(seen).toHaveLength(1);
});
