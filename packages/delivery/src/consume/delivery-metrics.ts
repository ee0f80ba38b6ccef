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
    help: 'Jobs that this process can have in hand.',
    collect: (gauge) => gauge.set(slots),
  });
  metrics.gauge({
    name: 'webhook_requests_in_flight',
    help: 'Jobs that this process has in hand.',
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
      help: 'From taking a claimed delivery to the status line, tunnel included.',
    }),
    firstAttemptLagSeconds: metrics.histogram({
      name: 'webhook_first_attempt_lag_seconds',
      help: 'From the confirmation of a change, or the end of the pacing that held it back, to the claim of its first attempt.',
    }),
    deliveries: metrics.counter({
      name: 'webhook_deliveries_total',
      help: 'Deliveries that were settled, by state.',
      labels: ['state'],
    }),
    warnings: metrics.counter({
      name: 'webhook_destination_warnings_total',
      help: 'Warnings of accounts that the failures in a row of a destination come near its switch-off.',
    }),
    switchOffs: metrics.counter({
      name: 'webhook_destinations_switched_off_total',
      help: 'Destinations that were switched off by failures in a row.',
    }),
    excluded: metrics.counter({
      name: 'webhook_requests_excluded_total',
      help: 'Requests that were no attempt, because the egress or this service failed.',
      labels: ['blame', 'error'],
    }),
    superseded: metrics.counter({
      name: 'webhook_attempts_superseded_total',
      help: 'Attempts that another worker settled first.',
    }),
    waitsAsked: metrics.counter({
      name: 'webhook_waits_asked_total',
      help: 'Messages that a chat platform asked to send later (429), by kind of destination; no attempts.',
      labels: ['kind'],
    }),
    egressRequests: metrics.counter({
      name: 'webhook_egress_requests_total',
      help: 'Requests by egress proxy: carried, or failed by the proxy and how.',
      labels: ['proxy', 'outcome', 'error'],
    }),
  };
}
