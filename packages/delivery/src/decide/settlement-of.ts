import type { AttemptVerdict } from '@artist-watch/domain/delivery/attempt-classification';
import { retryDelaysFor, TRIGGERS } from '@artist-watch/domain/delivery/delivery-state';
import { retryDelayMs } from '@artist-watch/domain/delivery/retry-schedule';
import type { ClaimedDelivery } from '../store/claims.js';
import type { AttemptToSettle } from './ports.js';

export interface EndedAttempt {
  readonly claim: ClaimedDelivery;
  /** Of an attempt that counts, or succeeded. */
  readonly verdict: Exclude<AttemptVerdict, { kind: 'not_an_attempt' }>;
  readonly responseExcerpt: string | null;
  readonly durationMs: number;
  readonly endedAtMs: number;
}

/**
 * What the record is to write of an attempt, and what follows for its delivery.
 *
 * @param inQueue whether a retry is to wait in the queue.
 */
export function settlementOf(
  { claim, verdict, responseExcerpt, durationMs, endedAtMs }: EndedAttempt,
  delaysMs: readonly number[],
  inQueue: boolean,
): AttemptToSettle {
  const base = {
    deliveryId: claim.deliveryId,
    destinationId: claim.destinationId,
    attemptNumber: claim.attemptNumber,
    responseExcerpt,
    durationMs,
    endedAtMs,
    counts: TRIGGERS[claim.trigger].counted,
    isFirst: claim.attemptInRound === 1,
    hadTurn: claim.hasTurn,
  };
  switch (verdict.kind) {
    case 'succeeded':
      return {
        outcome: 'succeeded',
        blame: null,
        statusCode: verdict.status,
        error: null,
        reason: null,
        next: { state: 'succeeded' },
        ...base,
      };
    case 'failed': {
      const delayMs = retryDelayMs(claim.attemptInRound, retryDelaysFor(claim.trigger, delaysMs));
      return {
        outcome: 'failed',
        blame: verdict.blame,
        statusCode: verdict.status ?? null,
        error: verdict.error,
        reason: verdict.reason,
        next: delayMs === null ? { state: 'failed' } : { state: 'pending', delayMs, inQueue },
        ...base,
      };
    }
  }
}
