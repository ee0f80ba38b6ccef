import { createHash } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type {
  IngestAnswer,
  IngestedChange,
  RecordedChanges,
  ReportedChange,
} from '@artist-watch/contracts/ingest/changes';
import type { Platform } from '@artist-watch/domain/catalogue';
import { CHANGE_TYPES, type DetectedChangeType, type Severity } from '@artist-watch/domain/change/change-types';
import { summariseReported } from '@artist-watch/domain/change/summary';
import type { ChangeId } from '@artist-watch/domain/ids';

export interface AcceptChangesPorts {
  readonly platform: Platform;
  /** Records confirmed changes, with their feed rows and deliveries: all of them or none. */
  record(changes: readonly ReportedChange[], now: Date): Promise<RecordedChanges>;
  newChangeId(now: Date): ChangeId;
  /** Called after the commit. */
  onRecorded(accepted: readonly ReportedChange[], recorded: RecordedChanges & { kind: 'recorded' }): void;
}

/**
 * Takes confirmed changes of another detector (docs/reference/ingest.md). All or none: what it answers `accepted` is
 * durable, stands in the feed of every account that watches the artist, and is on its way to the destinations.
 *
 * @throws ApiError `conflict` when external ids were reported with different contents: nothing was written. What the record
 *   throws; nothing was accepted then as far as anybody can know, and the same batch may be sent again.
 */
export async function acceptChanges(
  items: readonly IngestedChange[],
  now: Date,
  ports: AcceptChangesPorts,
): Promise<IngestAnswer> {
  const reported = items.map((item) => completeChange(item, ports.platform, ports.newChangeId(now), now));
  const { distinct, repeats, conflicts } = distinctChanges(reported);
  if (conflicts.length > 0) throw conflict(conflicts);
  if (distinct.length === 0) return { accepted: 0, duplicates: 0 };

  const recorded = await ports.record(distinct, now);
  if (recorded.kind === 'conflict') throw conflict(recorded.externalIds);
  const acceptedIds = new Set(recorded.accepted);
  ports.onRecorded(
    distinct.filter(({ id }) => acceptedIds.has(id)),
    recorded,
  );
  return { accepted: recorded.accepted.length, duplicates: recorded.duplicates + repeats };
}

const MAX_NAMED_CONFLICTS = 10;

function conflict(externalIds: readonly string[]): ApiError {
  const named = externalIds.slice(0, MAX_NAMED_CONFLICTS).map((id) => JSON.stringify(id));
  const left = externalIds.length - named.length;
  const list = left > 0 ? `${named.join(', ')} and ${left} more` : named.join(', ');
  const what = 'reported before, or twice in this request, with another content';
  return new ApiError('conflict', `Nothing was recorded; ${what}: external_id ${list}.`);
}

interface DistinctChanges {
  /** The first of each external id. */
  readonly distinct: readonly ReportedChange[];
  /** How many say again what an earlier one of the batch said. */
  readonly repeats: number;
  /** External ids that the batch itself reports with different contents. */
  readonly conflicts: readonly string[];
}

/** Sorts out what one batch reports more than once. */
function distinctChanges(changes: readonly ReportedChange[]): DistinctChanges {
  const firsts = new Map<string, ReportedChange>();
  const conflicts = new Set<string>();
  for (const change of changes) {
    const first = firsts.get(change.externalId);
    if (!first) firsts.set(change.externalId, change);
    else if (Buffer.compare(first.digest, change.digest) !== 0) conflicts.add(change.externalId);
  }
  return { distinct: [...firsts.values()], repeats: changes.length - firsts.size, conflicts: [...conflicts] };
}

/** Adds the fields that the other detector omitted (docs/reference/ingest.md). */
export function completeChange(item: IngestedChange, platform: Platform, id: ChangeId, now: Date): ReportedChange {
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
    summary: item.summary ?? summariseReported({ ...item, platform }),
    detectedAt: item.detectedAt,
    confirmedAt: item.confirmedAt ?? now,
  };
}

/** The severity that our detector gives the type; `info` for other types. */
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
