import type { RequestedWait } from '@artist-watch/domain/channel/chat-response';
import type { NotAnAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { type Logger, throttled } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { monotonicMs } from '@artist-watch/runtime/clock';
import type { RequestSlots } from './request-slots.js';
import type { Claim } from './store/claims.js';
import type { LongRun, SettledAttempt, Settlement } from './store/settlement.js';

export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

export function createDeliveryLog(log: Logger, metrics: DeliveryMetrics) {
  const writers: Record<string, (error: unknown) => void> = {};
  return {
    attemptSettled(
      claim: Claim,
      settlement: Pick<Settlement, 'outcome' | 'blame' | 'statusCode' | 'error' | 'durationMs'>,
      settled: SettledAttempt,
      proxy: string | null,
    ) {
      metrics.attempts.inc({ outcome: settlement.outcome, blame: settlement.blame ?? 'none' });
      metrics.attemptSeconds.observe(settlement.durationMs / 1000);
      if (claim.attemptNumber === 1 && claim.trigger === 'change') {
        metrics.firstAttemptLagSeconds.observe(claim.ageMs / 1000);
      }
      if (settled.state !== 'pending') metrics.deliveries.inc({ state: settled.state });
      log.info('attempt.settled', {
        outcome: settlement.outcome,
        blame: settlement.blame,
        statusCode: settlement.statusCode,
        error: settlement.error,
        durationMs: Math.round(settlement.durationMs),
        nextState: settled.state,
        retryInMs: settled.retryInMs === null ? null : Math.round(settled.retryInMs),
        proxy,
        // The claim's fields come last, because each field that follows a spread costs 0.8 µs (docs/adr/0043).
        ...claimFields(claim),
      });
    },
    longRun({ kind, ...run }: LongRun) {
      (kind === 'warned' ? metrics.warnings : metrics.switchOffs).inc();
      log.warn(kind === 'warned' ? 'destination.warned' : 'destination.switched_off', { ...run });
    },
    /** If another worker took over the attempt, the receiver may get it twice. */
    takenOver(claim: Claim) {
      metrics.takenOver.inc();
      log.warn('delivery.taken_over', claimFields(claim));
    },
    attemptExcluded(
      claim: Claim,
      { blame, error, reason }: NotAnAttempt,
      facts: { readonly proxy: string | null; readonly durationMs: number; readonly waitMs: number },
    ) {
      metrics.excluded.inc({ blame, error });
      log.warn('attempt.excluded', { ...claimFields(claim), blame, error, reason, ...facts });
    },
    waitRequested(claim: Claim, { waitMs, isGlobal }: RequestedWait) {
      metrics.waitsRequested.inc({ kind: claim.destinationKind });
      log.info('attempt.wait_asked', { ...claimFields(claim), kind: claim.destinationKind, waitMs, isGlobal });
    },
    /** Another worker settled this attempt first, for example because this process was frozen. */
    attemptSuperseded(claim: Claim) {
      metrics.superseded.inc();
      log.warn('attempt.superseded', claimFields(claim));
    },
    /** Logs the same error at most once every 10 s. */
    failed(operation: string, error: unknown) {
      writers[operation] ??= throttled((error, suppressed) => log.error(operation, { error, suppressed }), monotonicMs);
      writers[operation](error);
    },
  };
}

function claimFields(claim: Claim) {
  return {
    deliveryId: claim.deliveryId,
    changeId: claim.changeId,
    destinationId: claim.destinationId,
    accountId: claim.accountId,
    trigger: claim.trigger,
    attempt: claim.attemptNumber,
  };
}

type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

export function createDeliveryMetrics(metrics: Metrics, slots: RequestSlots) {
  metrics.gauge({
    name: 'artist_watch_webhook_request_slots',
    help: 'Maximum number of concurrent requests of this process.',
    collect: (gauge) => gauge.set(slots.slots),
  });
  metrics.gauge({
    name: 'artist_watch_webhook_requests_in_flight',
    help: 'Requests that this process is currently sending.',
    collect: (gauge) => gauge.set(slots.inUse),
  });
  return {
    attempts: metrics.counter({
      name: 'artist_watch_webhook_attempts_total',
      help: 'Attempts by outcome (`succeeded`, `failed`) and blame (`none`, `receiver`, or `policy` for an address that is not allowed).',
      labels: ['outcome', 'blame'],
    }),
    attemptSeconds: metrics.histogram({
      name: 'artist_watch_webhook_attempt_seconds',
      help: 'Seconds from the start of an attempt to the status line of the response, including the time to open the proxy tunnel.',
    }),
    firstAttemptLagSeconds: metrics.histogram({
      name: 'artist_watch_webhook_first_attempt_lag_seconds',
      help: 'Seconds from the release of a delivery to the claim of its first attempt. Includes only deliveries triggered by a change.',
    }),
    deliveries: metrics.counter({
      name: 'artist_watch_webhook_deliveries_total',
      help: 'Settled deliveries by state.',
      labels: ['state'],
    }),
    warnings: metrics.counter({
      name: 'artist_watch_webhook_destination_warnings_total',
      help: 'Warnings to accounts that a destination will soon be switched off.',
    }),
    switchOffs: metrics.counter({
      name: 'artist_watch_webhook_destinations_switched_off_total',
      help: 'Destinations switched off after consecutive failures.',
    }),
    excluded: metrics.counter({
      name: 'artist_watch_webhook_requests_excluded_total',
      help: 'Requests that do not count as attempts because the egress proxy or this service failed.',
      labels: ['blame', 'error'],
    }),
    superseded: metrics.counter({
      name: 'artist_watch_webhook_attempts_superseded_total',
      help: 'Attempts that another worker had already settled.',
    }),
    takenOver: metrics.counter({
      name: 'artist_watch_webhook_deliveries_taken_over_total',
      help: 'Deliveries taken over from a worker that claimed but did not settle them, because it died or was frozen. Their receivers may get the same request twice.',
    }),
    waitsRequested: metrics.counter({
      name: 'artist_watch_webhook_rate_limits_total',
      help: 'Messages that a chat platform rejected because of its rate limit (429), by kind of destination. They do not count as attempts.',
      labels: ['kind'],
    }),
    egressRequests: metrics.counter({
      name: 'artist_watch_webhook_egress_requests_total',
      help: 'Requests by egress proxy. `outcome` is `carried` or `fault`. For a fault, `error` says what went wrong.',
      labels: ['proxy', 'outcome', 'error'],
    }),
  };
}
