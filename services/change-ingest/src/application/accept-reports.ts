import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@artist-watch/contracts/api/errors';
import {
  CHANGES_PER_TICK,
  type IngestAnswer,
  type IngestedChange,
  type RecordedChanges,
  type ReportedChange,
} from '@artist-watch/contracts/ingest/changes';
import type { ReportedSnapshot, SnapshotAnswer } from '@artist-watch/contracts/ingest/snapshot';
import type { Platform } from '@artist-watch/domain/catalogue';
import { CHANGE_TYPES, type DetectedChangeType } from '@artist-watch/domain/change/change-types';
import { summariseReported } from '@artist-watch/domain/change/summary';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { newId } from '@artist-watch/runtime/ids';
import { hashObservation } from './detection/artist-observation.js';
import type { ObservationIntake, ProcessedObservation } from './detection/settlement.js';

export interface AcceptChangesPorts {
  readonly platform: Platform;
  /** Writes all changes or none of them. */
  record(changes: readonly ReportedChange[], now: Date): Promise<RecordedChanges>;
  onRecorded(recorded: RecordedChanges & { kind: 'recorded' }): Promise<void>;
}

/**
 * Accepts either all or none of the confirmed changes in a batch from another detector (docs/reference/ingest.md).
 *
 * @throws ApiError `conflict` if any external id was already reported with different content. In that case, nothing was
 * written. After any other error, the outcome is unknown, but it is safe to send the batch again.
 */
export async function acceptChanges(
  items: readonly IngestedChange[],
  now: Date,
  ports: AcceptChangesPorts,
): Promise<IngestAnswer> {
  const reported: ReportedChange[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % CHANGES_PER_TICK === 0) await setImmediate();
    reported.push(completeChange(item, ports.platform, newId('chg', now), now));
  }
  const { distinct, repeats, conflicts } = distinctChanges(reported);
  if (conflicts.length > 0) throw conflict(conflicts);
  if (distinct.length === 0) return { accepted: 0, duplicates: 0, results: [] };

  const recorded = await ports.record(distinct, now);
  if (recorded.kind === 'conflict') throw conflict(recorded.externalIds);
  await ports.onRecorded(recorded);
  const outcomes = new Map(recorded.outcomes);
  const results = items.map(({ externalId }) => {
    const outcome: IngestAnswer['results'][number]['outcome'] = outcomes.get(externalId) ?? 'duplicate';
    // If the batch repeats this id, the later items are duplicates.
    outcomes.delete(externalId);
    return { external_id: externalId, outcome };
  });
  return { accepted: recorded.accepted.length, duplicates: recorded.duplicates + repeats, results };
}

const MAX_NAMED_CONFLICTS = 10;

function conflict(externalIds: readonly string[]): ApiError {
  const named = externalIds.slice(0, MAX_NAMED_CONFLICTS).map((id) => JSON.stringify(id));
  const left = externalIds.length - named.length;
  const list = left > 0 ? `${named.join(', ')} and ${left} more` : named.join(', ');
  const problem =
    'These external ids were already reported with different content, in an earlier request or in this one';
  return new ApiError('conflict', `Nothing was recorded. ${problem}: ${list}.`);
}

interface DistinctChanges {
  readonly distinct: readonly ReportedChange[];
  readonly repeats: number;
  readonly conflicts: readonly string[];
}

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

/** Fills in the fields that the other detector omitted (docs/reference/ingest.md). */
export function completeChange(item: IngestedChange, platform: Platform, id: ChangeId, now: Date): ReportedChange {
  const known = Object.hasOwn(CHANGE_TYPES, item.type) ? CHANGE_TYPES[item.type as DetectedChangeType] : undefined;
  return {
    id,
    externalId: item.externalId,
    digest: contentDigest(item),
    artist: { platformId: item.artistPlatformId, name: item.artistName },
    type: item.type,
    severity: item.severity ?? known?.severity ?? 'info',
    entityType: item.entityType,
    entityId: item.entityId,
    entityName: item.entityName,
    summary: item.summary ?? summariseReported({ ...item, platform }),
    detectedAt: item.detectedAt,
    confirmedAt: item.confirmedAt ?? now,
    values: item.values,
  };
}

/** Hashes only the reported fields, so that a repeated item still has the same hash after a software update. */
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
    // If there are no values, the hash must match the one computed by earlier versions of this software.
    ...(item.values === null ? [] : [item.before ?? null, item.after ?? null]),
  ];
  return createHash('sha256').update(JSON.stringify(reported, sortNames)).digest();
}

/** A JSON replacer that sorts property names, so that equal objects produce equal JSON. */
function sortNames(_name: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

export interface AcceptSnapshotPorts {
  artistIdOf(artist: ReportedSnapshot['artist'], now: Date): Promise<ArtistId>;
  readonly intake: ObservationIntake;
  onProcessed(processed: ProcessedObservation): void;
}

export async function acceptSnapshot(
  snapshot: ReportedSnapshot,
  now: Date,
  { artistIdOf, intake, onProcessed }: AcceptSnapshotPorts,
): Promise<SnapshotAnswer> {
  const artistId = await artistIdOf(snapshot.artist, now);
  const { observation, goneReleaseIds, goneTrackIds } = snapshot;
  const processed = await intake.process({
    artistId,
    observation,
    digest: hashObservation(observation),
    source: 'ingested',
    // The other detector reports which ids no longer exist on the platform (rule `absence`).
    directAnswers: { release: allGone(goneReleaseIds), track: allGone(goneTrackIds) },
  });
  onProcessed(processed);
  return toAnswer(processed);
}

function allGone(ids: ReadonlySet<string>): ReadonlyMap<string, 'gone'> {
  return new Map([...ids].map((id) => [id, 'gone']));
}

function toAnswer({ settlement: { kind, advance } }: ProcessedObservation): SnapshotAnswer {
  return {
    outcome: kind === 'unchanged' ? 'compared' : kind,
    suspected: (advance?.opened.length ?? 0) + (advance?.strengthened.length ?? 0),
    confirmed: advance?.confirmed.length ?? 0,
    dismissed: advance?.dismissed.length ?? 0,
  };
}
