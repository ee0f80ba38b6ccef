import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptMade } from './attempt-classification.js';
import type { Trigger } from './delivery-state.js';
import { afterAttempt, type PendingDelivery, recover, resend, skip } from './delivery-transitions.js';
import { DEFAULT_RETRY_DELAYS_MS } from './retry-schedule.js';

const CREATED = new Date('2026-03-01T12:00:00Z');
const ENDED = new Date('2026-03-01T12:00:09Z');
const SUCCEEDED: AttemptMade = { kind: 'succeeded', status: 204 };
const FAILED: AttemptMade = { kind: 'failed', blame: 'receiver', error: 'timed_out', reason: 'No answer.' };

function pending(trigger: Trigger, changed: Partial<PendingDelivery> = {}): PendingDelivery {
  return { state: 'pending', trigger, attemptCount: 0, roundStart: 0, nextAttemptAt: CREATED, ...changed };
}

const ended = (made: AttemptMade) => ({ made, endedAt: ENDED, delaysMs: DEFAULT_RETRY_DELAYS_MS });

describe('afterAttempt', () => {
  test('a success settles the delivery at once', () => {
    expect(afterAttempt(pending('change', { attemptCount: 3 }), ended(SUCCEEDED))).toEqual({
      state: 'succeeded',
      trigger: 'change',
      attemptCount: 4,
      roundStart: 0,
      settledAt: ENDED,
    });
  });

  test.each(['change', 'recover'] as const)('a failed %s waits for its retry', (trigger) => {
    expect(afterAttempt(pending(trigger), ended(FAILED))).toMatchObject({
      state: 'pending',
      attemptCount: 1,
      nextAttemptAt: new Date('2026-03-01T12:01:09Z'),
    });
  });

  test.each(['test', 'resend'] as const)('a failed %s is failed: it is one attempt', (trigger) => {
    expect(afterAttempt(pending(trigger), ended(FAILED))).toMatchObject({ state: 'failed', settledAt: ENDED });
  });

  test('a new round starts its delays anew and goes on numbering its attempts', () => {
    const exhausted = afterAttempt(pending('change', { attemptCount: 5 }), ended(FAILED));
    if (exhausted.state !== 'failed') throw new Error('the sixth failure must end the round');
    const recovering = recover(exhausted, CREATED);
    expect(recovering).toEqual(pending('recover', { attemptCount: 6, roundStart: 6 }));
    expect(afterAttempt(recovering, ended(FAILED))).toMatchObject({
      state: 'pending',
      attemptCount: 7,
      nextAttemptAt: new Date('2026-03-01T12:01:09Z'),
    });
  });

  test('a skipped delivery can be resent, and that is one attempt', () => {
    const skipped = skip(pending('change', { attemptCount: 2 }), 'destination_off', ENDED);
    expect(skipped).toMatchObject({ state: 'skipped', skippedReason: 'destination_off', settledAt: ENDED });
    expect(afterAttempt(resend(skipped, CREATED), ended(FAILED))).toMatchObject({ state: 'failed', attemptCount: 3 });
  });

  test('whatever happened before, a round of failures ends after exactly one attempt more than its delays', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 10 ** 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.constantFrom('change' as const, 'recover' as const),
        fc.nat(50),
        delays,
        (trigger, made, delaysMs) => {
          let delivery: ReturnType<typeof afterAttempt> = pending(trigger, { attemptCount: made, roundStart: made });
          let attempts = 0;
          while (delivery.state === 'pending') {
            delivery = afterAttempt(delivery, { made: FAILED, endedAt: ENDED, delaysMs });
            attempts += 1;
          }
          expect([delivery.state, attempts]).toEqual(['failed', delaysMs.length + 1]);
        },
      ),
    );
  });
});
