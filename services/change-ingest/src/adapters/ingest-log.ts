import type { RecordedChanges, ReportedChange } from '@artist-watch/contracts/ingest/changes';
import type { Logger } from '@artist-watch/observability/logger';
import type { IngestMetrics } from './ingest-metrics.js';

/** One wide line for each change that another detector reported, once it is durable. */
export function createReportedChangeLog(log: Logger, metrics: IngestMetrics) {
  return (accepted: readonly ReportedChange[], recorded: RecordedChanges & { readonly kind: 'recorded' }): void => {
    metrics.reportedChanges.inc({ result: 'accepted' }, accepted.length);
    metrics.reportedChanges.inc({ result: 'duplicate' }, recorded.duplicates);
    metrics.confirmed.inc({ source: 'ingest' }, accepted.length);
    if (!log.isOn('info')) return;
    for (const change of accepted) {
      log.info('change.confirmed', {
        source: 'ingest',
        changeId: change.id,
        externalId: change.externalId,
        artistPlatformId: change.artist.platformId,
        type: change.type,
        severity: change.severity,
        entityType: change.entityType,
        entityId: change.entityId,
        detectedAt: change.detectedAt,
        confirmedAt: change.confirmedAt,
      });
    }
  };
}
