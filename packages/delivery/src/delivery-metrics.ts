import type { Metrics } from '@artist-watch/observability/metrics';

export interface Occupancy {
  /** Requests at once at the most. */
  readonly slots: number;
  inFlight(): number;
}

/** What the worker counts. */
export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

export function createDeliveryMetrics(metrics: Metrics, { slots, inFlight }: Occupancy) {
  metrics.gauge({
    name: 'webhook_request_slots',
    help: 'Requests that this process can have in progress.',
    collect: (gauge) => gauge.set(slots),
  });
  metrics.gauge({
    name: 'webhook_requests_in_flight',
    help: 'Requests that this process has in progress.',
    collect: (gauge) => gauge.set(inFlight()),
  });
  return {
    attempts: metrics.counter({
      name: 'webhook_attempts_total',
      help: 'Attempts by outcome and blame.',
      labels: ['outcome', 'blame'],
    }),
    attemptSeconds: metrics.histogram({
      name: 'webhook_attempt_seconds',
      help: 'Seconds from the start of an attempt to the status line of the response, tunnel included.',
    }),
    firstAttemptLagSeconds: metrics.histogram({
      name: 'webhook_first_attempt_lag_seconds',
      help: 'From the release of a delivery of a change to the claim of its first attempt.',
    }),
    deliveries: metrics.counter({
      name: 'webhook_deliveries_total',
      help: 'Settled deliveries, by state.',
      labels: ['state'],
    }),
    warnings: metrics.counter({
      name: 'webhook_destination_warnings_total',
      help: 'Warnings to accounts about a destination that is close to its switch-off.',
    }),
    switchOffs: metrics.counter({
      name: 'webhook_destinations_switched_off_total',
      help: 'Destinations switched off after consecutive failures.',
    }),
    excluded: metrics.counter({
      name: 'webhook_requests_excluded_total',
      help: 'Requests that do not count as attempts, because the egress or this service failed.',
      labels: ['blame', 'error'],
    }),
    superseded: metrics.counter({
      name: 'webhook_attempts_superseded_total',
      help: 'Attempts that another worker settled first.',
    }),
    takenOver: metrics.counter({
      name: 'webhook_deliveries_taken_over_total',
      help: 'Deliveries that another worker had claimed and not settled: it died, or was frozen. Their receivers may get an attempt twice.',
    }),
    waitsAsked: metrics.counter({
      name: 'webhook_waits_asked_total',
      help: 'Messages that a chat platform postponed (429), by kind of destination. Not counted as attempts.',
      labels: ['kind'],
    }),
    egressRequests: metrics.counter({
      name: 'webhook_egress_requests_total',
      help: 'Requests by egress proxy, carried or failed, with the error of the proxy.',
      labels: ['proxy', 'outcome', 'error'],
    }),
  };
}
