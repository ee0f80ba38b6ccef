import type { Metrics } from '@artist-watch/observability/metrics';
import type { RequestSlots } from './request-slots.js';

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

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
