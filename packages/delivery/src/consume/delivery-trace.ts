import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { DeliveryTrace } from '../decide/ports.js';

/** Attempts as spans of the trace of their change, however long after it they come. */
export function createDeliveryTrace(tracing: Tracing): DeliveryTrace {
  return {
    attempt(claim, work) {
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
    },
    settlement: (work) => tracing.span('delivery.settle', {}, work),
  };
}
