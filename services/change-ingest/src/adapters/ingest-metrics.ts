import type { Metrics } from '@artist-watch/observability/metrics';

/** What change-ingest counts. */
export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

export function createIngestMetrics(metrics: Metrics) {
  return {
    polls: metrics.counter({
      name: 'polls_total',
      help: 'Artists that were read, by what came of it and how closely they were read.',
      labels: ['result', 'depth'],
    }),
    pollSeconds: metrics.histogram({
      name: 'poll_seconds',
      help: 'From the claim of an artist to its settlement, the wait for the budget included.',
      labels: ['result'],
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600],
    }),
    platformRequests: metrics.counter({
      name: 'platform_requests_total',
      help: 'Requests to the platform, retries counted singly.',
      labels: ['operation', 'outcome'],
    }),
    platformRequestSeconds: metrics.histogram({
      name: 'platform_request_seconds',
      help: 'Time that the platform took to answer.',
      labels: ['operation'],
    }),
    suspicions: metrics.counter({
      name: 'suspicions_total',
      help: 'Differences that were suspected, confirmed or dismissed.',
      labels: ['result'],
    }),
    heldRemovals: metrics.counter({
      name: 'removals_held_total',
      help: 'Suspected removals that the brake began to hold back. Any increase wants a look.',
    }),
    confirmed: metrics.counter({
      name: 'changes_confirmed_total',
      help: 'Changes that were confirmed, by our own detector (poll, snapshot) or by another one (ingest).',
      labels: ['source'],
    }),
    requestSeconds: metrics.histogram({
      name: 'ingest_request_seconds',
      help: 'Time to answer a request of ingest.',
      labels: ['route', 'status'],
    }),
    reportedChanges: metrics.counter({
      name: 'ingest_changes_total',
      help: 'Changes that another detector reported.',
      labels: ['result'],
    }),
    reportedSnapshots: metrics.counter({
      name: 'ingest_snapshots_total',
      help: 'Snapshots that another reader reported.',
      labels: ['result'],
    }),
    budgetFallbacks: metrics.counter({
      name: 'platform_budget_fallbacks_total',
      help: 'How often the shared request budget was lost and this process went on with a part of its own.',
    }),
  };
}
