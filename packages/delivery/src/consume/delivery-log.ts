import type { Logger } from '@artist-watch/observability/logger';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { AttemptLine, DeliveryLog, ExcludedLine, FailureNotification, TraceAttempt } from '../decide/ports.js';
import type { ClaimedDelivery } from '../store/claims.js';
import type { DeliveryMetrics } from './delivery-metrics.js';

/** One wide line for each attempt and each notification of a destination, and what the metrics count of it. */
export function createDeliveryLog(log: Logger, metrics: DeliveryMetrics): DeliveryLog {
  return {
    attemptSettled({ claim, settlement, result, proxy }: AttemptLine) {
      metrics.attempts.inc({ outcome: settlement.outcome, blame: settlement.blame ?? 'none' });
      metrics.attemptSeconds.observe(settlement.durationMs / 1000);
      // One that had a turn was late by its destination's pacing.
      if (claim.attemptNumber === 1 && claim.trigger === 'change' && !claim.hasTurn) {
        metrics.firstAttemptLagSeconds.observe(claim.ageMs / 1000);
      }
      if (result.state !== 'pending') metrics.deliveries.inc({ state: result.state });
      log.info('attempt.settled', {
        outcome: settlement.outcome,
        blame: settlement.blame,
        statusCode: settlement.statusCode,
        error: settlement.error,
        durationMs: Math.round(settlement.durationMs),
        nextState: result.state,
        retryInMs: result.retryInMs === null ? null : Math.round(result.retryInMs),
        proxy,
        // In front, each field behind it would cost as much as all of this (docs/adr/0024).
        ...idsOf(claim),
      });
    },
    destinationNotified(claim, { kind, consecutiveFailures }: FailureNotification) {
      (kind === 'warned' ? metrics.warnings : metrics.switchOffs).inc();
      log.warn(`destination.${kind}`, { ...idsOf(claim), consecutiveFailures });
    },
    attemptExcluded({ claim, blame, error, reason, proxy, durationMs, waitMs }: ExcludedLine) {
      metrics.excluded.inc({ blame, error });
      log.warn('attempt.excluded', {
        ...idsOf(claim),
        blame,
        error,
        reason,
        durationMs: Math.round(durationMs),
        waitMs: Math.round(waitMs),
        proxy,
      });
    },
    waitAsked(claim, { waitMs, isGlobal }) {
      metrics.waitsAsked.inc({ kind: claim.destinationKind });
      log.info('attempt.wait_asked', { ...idsOf(claim), kind: claim.destinationKind, waitMs, isGlobal });
    },
    attemptSuperseded(claim) {
      metrics.superseded.inc();
      log.warn('attempt.superseded', idsOf(claim));
    },
    trouble(where, error) {
      log.error(where, { error });
    },
  };
}

function idsOf(claim: ClaimedDelivery) {
  return {
    deliveryId: claim.deliveryId,
    changeId: claim.changeId,
    destinationId: claim.destinationId,
    accountId: claim.accountId,
    trigger: claim.trigger,
    attempt: claim.attemptNumber,
  };
}

/** Attempts as spans of the trace of their change, however long after it they come. */
export function createAttemptTrace(tracing: Tracing): TraceAttempt {
  return (claim, work) => {
    const attributes = {
      'delivery.id': claim.deliveryId,
      'delivery.attempt': claim.attemptNumber,
      'delivery.trigger': claim.trigger,
      'change.id': claim.changeId ?? undefined,
      'destination.id': claim.destinationId,
      'account.id': claim.accountId,
    };
    const options = { kind: 'consumer', parent: claim.traceparent, attributes } as const;
    return tracing.span('delivery.attempt', options, async (span) => {
      const result = await work();
      span.set({ 'delivery.outcome': result.kind });
      if (result.kind !== 'succeeded') span.fail(result.kind);
      return result;
    });
  };
}
