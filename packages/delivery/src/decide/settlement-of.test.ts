import type { Trigger } from '@artist-watch/domain/delivery/delivery-state';
import { DEFAULT_RETRY_DELAYS_MS } from '@artist-watch/domain/delivery/retry-schedule';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClaimedDelivery } from '../store/claims.js';
import { type EndedAttempt, settlementOf } from './settlement-of.js';

const SUCCEEDED: EndedAttempt['verdict'] = { kind: 'succeeded', status: 204 };
const FAILED: EndedAttempt['verdict'] = { kind: 'failed', blame: 'receiver', error: 'timed_out', reason: 'No answer.' };

/** Of an attempt with this number within its round, after others of earlier rounds. */
function settle(
  verdict: EndedAttempt['verdict'],
  { trigger = 'change' as Trigger, inRound = 1, before = 0, hasTurn = false, delaysMs = DEFAULT_RETRY_DELAYS_MS } = {},
) {
  const claim = {
    kind: 'claimed',
    deliveryId: 'dlv_1',
    accountId: 'acc_1',
    destinationId: 'dst_1',
    changeId: 'chg_1',
    trigger,
    attemptNumber: before + inRound,
    attemptInRound: inRound,
    hasTurn,
    destinationKind: 'webhook',
    url: 'https://receiver.example/',
    sealedSecret: null,
    body: '{}',
    claimedAtMs: 0,
    claimedUntil: new Date(0),
    ageMs: 0,
    traceparent: null,
  } satisfies ClaimedDelivery;
  return settlementOf({ claim, verdict, responseExcerpt: null, durationMs: 5, endedAtMs: 100 }, delaysMs, true);
}

describe('the settlement of an attempt', () => {
  test('a success settles the delivery at once', () => {
    expect(settle(SUCCEEDED, { inRound: 4 })).toMatchObject({
      outcome: 'succeeded',
      attemptNumber: 4,
      next: { state: 'succeeded' },
    });
  });

  test.each(['change', 'recover'] as const)('a failed %s waits for its retry, and counts', (trigger) => {
    expect(settle(FAILED, { trigger })).toMatchObject({
      outcome: 'failed',
      blame: 'receiver',
      counts: true,
      next: { state: 'pending', delayMs: 60_000, inQueue: true },
    });
  });

  test.each(['test', 'resend'] as const)('a failed %s is failed: it is one attempt, and does not count', (trigger) => {
    expect(settle(FAILED, { trigger })).toMatchObject({ counts: false, next: { state: 'failed' } });
  });

  test('a new round starts its delays anew, goes on numbering its attempts, and begins with a first attempt', () => {
    expect(settle(FAILED, { inRound: 6 })).toMatchObject({ next: { state: 'failed' }, isFirst: false });
    expect(settle(FAILED, { trigger: 'recover', before: 6 })).toMatchObject({
      attemptNumber: 7,
      isFirst: true,
      next: { state: 'pending', delayMs: 60_000 },
    });
  });

  test('a claim that had the turn of a paced destination says so', () => {
    expect(settle(FAILED, { hasTurn: true })).toMatchObject({ isFirst: true, hadTurn: true });
  });

  test('whatever happened before, a round of failures ends after exactly one attempt more than its delays', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 10 ** 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom<Trigger>('change', 'recover'), fc.nat(50), delays, (trigger, before, delaysMs) => {
        let inRound = 1;
        while (settle(FAILED, { trigger, before, inRound, delaysMs }).next.state === 'pending') inRound += 1;
        expect(inRound).toBe(delaysMs.length + 1);
      }),
    );
  });
});
