import type { RequestFact } from '@artist-watch/catalogue/http/platform-http';
import type { Observation } from '@artist-watch/domain/catalogue';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { DueArtist } from '@artist-watch/persistence/polling/due-artists';
import type { ProcessedObservation } from '../application/detection/settlement.js';
import { releasesReadClosely } from '../application/polling/poll-plan.js';
import type { PolledArtist } from '../application/polling/poller.js';
import type { PollDepth } from '../application/polling/read-artist.js';

const OUTAGE_AFTER_POLLS = 3;

export function createDetectionLog(log: Logger, metrics: IngestMetrics, monotonicMs = () => performance.now()) {
  let failedPolls = 0;
  let failingSinceMs = 0;

  return {
    platformRequested({ operation, outcome, durationMs }: RequestFact) {
      metrics.platformRequests.inc({ operation, outcome });
      metrics.platformRequestSeconds.observe({ operation }, durationMs / 1000);
    },
    polled({ due, depth, durationMs, processed }: PolledArtist) {
      const { kind: result, rows } = processed.settlement;
      const kept = rows.snapshot?.content;
      metrics.polls.inc({ result, depth: depthName(depth) });
      metrics.pollSeconds.observe({ result }, durationMs / 1000);
      const { observation } = processed.reading;
      countFailures(observation);
      // During an outage, failed polls are not logged as warnings, because the start and end of the outage are logged
      // anyway.
      const isWarning = observation.kind === 'incomplete' && failedPolls < OUTAGE_AFTER_POLLS;
      log[isWarning ? 'warn' : 'info']('artist.polled', {
        artistId: due.id,
        artistPlatformId: due.platformId,
        result,
        reason: kept?.kind === 'incomplete' ? kept.reason : undefined,
        depth: depthName(depth),
        look: due.closer?.depth,
        releasesReadClosely: releasesReadClosely(depth).length,
        ...counts(processed),
        nextPollAt: rows.artist.nextPollAt,
        durationMs: Math.round(durationMs),
      });
      report('poll', processed);
    },
    failed(due: DueArtist, error: unknown) {
      metrics.polls.inc({ result: 'failed', depth: 'none' });
      log.error('artist.poll_failed', { artistId: due.id, artistPlatformId: due.platformId, error });
    },
    ingested(processed: ProcessedObservation) {
      const result = processed.settlement.kind;
      metrics.reportedSnapshots.inc({ result });
      log.info('snapshot.ingested', { artistId: processed.reading.artistId, result, ...counts(processed) });
      report('snapshot', processed);
    },
  };

  function countFailures(observation: Observation): void {
    if (observation.kind !== 'incomplete') {
      if (failedPolls >= OUTAGE_AFTER_POLLS) {
        const durationMs = Math.round(monotonicMs() - failingSinceMs);
        log.warn('platform.outage_ended', { failedPolls, durationMs });
      }
      failedPolls = 0;
    } else if (observation.cause === 'platform_error') {
      if (failedPolls === 0) failingSinceMs = monotonicMs();
      failedPolls += 1;
      if (failedPolls === OUTAGE_AFTER_POLLS) log.error('platform.outage_started', { reason: observation.reason });
    }
  }

  function report(
    source: 'poll' | 'snapshot',
    { reading: { artistId }, settlement: { advance, rows } }: ProcessedObservation,
  ) {
    if (advance === null) return;
    const confirmedRows = rows.changes.filter(({ state }) => state === 'confirmed');
    const changeIds = new Map(confirmedRows.map(({ differenceKey, id }) => [differenceKey, id]));
    metrics.suspicions.inc({ result: 'opened' }, advance.opened.length);
    for (const { suspicion, reason } of advance.dismissed) {
      metrics.suspicions.inc({ result: 'dismissed' });
      log.info('suspicion.dismissed', { artistId, key: suspicion.key, reason });
    }
    for (const { suspicion, detectedAt, confirmedAt } of advance.confirmed) {
      const { type, severity, entityType, entityId } = suspicion.difference;
      metrics.suspicions.inc({ result: 'confirmed' });
      metrics.confirmed.inc({ source });
      log.info('change.confirmed', {
        source,
        changeId: changeIds.get(suspicion.key),
        artistId,
        type,
        severity,
        entityType,
        entityId,
        detectedAt,
        confirmedAt,
        observations: suspicion.observations.length,
        held: suspicion.held,
      });
    }
    if (advance.newlyBraked.length > 0) {
      metrics.heldRemovals.inc(advance.newlyBraked.length);
      log.warn('removals.held', { artistId, removals: advance.newlyBraked.length });
    }
  }
}

function counts({ settlement: { advance } }: ProcessedObservation) {
  if (advance === null) return {};
  return {
    suspected: advance.opened.length + advance.strengthened.length,
    confirmed: advance.confirmed.length,
    dismissed: advance.dismissed.length,
  };
}

function depthName(depth: PollDepth): 'shallow' | 'deep' | 'full' {
  if (depth === 'shallow') return 'shallow';
  return depth.fullReleaseIds.length > 0 ? 'full' : 'deep';
}

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
