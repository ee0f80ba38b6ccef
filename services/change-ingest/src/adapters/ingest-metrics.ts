import type { Metrics } from '@artist-watch/observability/metrics';

export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

export function createIngestMetrics(metrics: Metrics) {
  return {
    polls: metrics.counter({
      name: 'artist_watch_polls_total',
      help: 'Polls of artists, by result and depth. `shallow` polls read only the list of releases, `deep` polls also read the tracks of some releases, and `full` polls also request tracks one by one.',
      labels: ['result', 'depth'],
    }),
    pollSeconds: metrics.histogram({
      name: 'artist_watch_poll_seconds',
      help: 'Seconds from the claim of an artist to the end of its poll, including the wait for the request budget.',
      labels: ['result'],
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600],
    }),
    platformRequests: metrics.counter({
      name: 'artist_watch_platform_requests_total',
      help: 'Requests to the platform, including retries. Outcomes: `ok`, `not_found`, `quota`, `unavailable`, `timeout`, `bad_answer`.',
      labels: ['operation', 'outcome'],
    }),
    platformRequestSeconds: metrics.histogram({
      name: 'artist_watch_platform_request_seconds',
      help: 'Seconds that the platform took to respond to a request.',
      labels: ['operation'],
    }),
    suspicions: metrics.counter({
      name: 'artist_watch_suspicions_total',
      help: 'Suspected changes, by result: `opened`, `confirmed` or `dismissed`.',
      labels: ['result'],
    }),
    heldRemovals: metrics.counter({
      name: 'artist_watch_removals_braked_total',
      help: 'Suspected removals that the brake put on hold. The brake requires extra confirmation when many releases disappear at once. Investigate any increase.',
    }),
    confirmed: metrics.counter({
      name: 'artist_watch_changes_confirmed_total',
      help: 'Confirmed changes, by source: `poll`, `snapshot` (found in a snapshot that another detector reported), or `ingest` (reported as confirmed by another detector).',
      labels: ['source'],
    }),
    requestSeconds: metrics.histogram({
      name: 'artist_watch_ingest_request_seconds',
      help: 'Seconds that the ingest API took to respond to a request.',
      labels: ['route', 'status'],
    }),
    reportedChanges: metrics.counter({
      name: 'artist_watch_ingest_changes_total',
      help: 'Changes reported by another detector, by result.',
      labels: ['result'],
    }),
    reportedSnapshots: metrics.counter({
      name: 'artist_watch_ingest_snapshots_total',
      help: 'Snapshots reported by another detector, by result.',
      labels: ['result'],
    }),
    budgetFallbacks: metrics.counter({
      name: 'artist_watch_platform_budget_fallbacks_total',
      help: 'Redis outages during which this process was limited to its own share of the request budget.',
    }),
  };
}
