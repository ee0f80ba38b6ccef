import { createHash } from 'node:crypto';
import type { IngestedChange, ReportedChange } from '@artist-watch/contracts/ingest/changes';
import { CHANGE_TYPES, type DetectedChangeType, type Severity } from '@artist-watch/domain/change/change-types';
import { summariseReported } from '@artist-watch/domain/change/summary';
import type { ChangeId } from '@artist-watch/domain/ids';

/** Fills in what the other detector left open (docs/reference/ingest.md). */
export function completeChange(item: IngestedChange, id: ChangeId, now: Date): ReportedChange {
  return {
    id,
    externalId: item.externalId,
    digest: contentDigest(item),
    artist: { platformId: item.artistPlatformId, name: item.artistName },
    type: item.type,
    severity: item.severity ?? usualSeverity(item.type),
    entityType: item.entityType,
    entityId: item.entityId,
    entityName: item.entityName,
    summary: item.summary ?? summariseReported(item),
    detectedAt: item.detectedAt,
    confirmedAt: item.confirmedAt ?? now,
  };
}

/** A type of our own list has the severity that our own detector gives it; any other is `info`. */
function usualSeverity(type: string): Severity {
  return Object.hasOwn(CHANGE_TYPES, type) ? CHANGE_TYPES[type as DetectedChangeType].severity : 'info';
}

/**
 * SHA-256 of what was reported, not of what we filled in: an item that is sent again stays the same although it is
 * completed with another time, and after a release that words summaries anew.
 */
function contentDigest(item: IngestedChange): Uint8Array {
  const reported = [
    item.artistPlatformId,
    item.artistName,
    item.type,
    item.severity ?? null,
    item.entityType,
    item.entityId,
    item.entityName,
    item.summary ?? null,
    item.detectedAt.getTime(),
    item.confirmedAt?.getTime() ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(reported)).digest();
}
