import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import type { Platform } from '@artist-watch/domain/catalogue';
import { changeValues } from '@artist-watch/domain/change/change-value';
import type { Difference, JsonValue } from '@artist-watch/domain/change/difference';
import { summarise } from '@artist-watch/domain/change/summary';
import { serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import type { Confirmation } from '@artist-watch/domain/detection/confirmation';
import { type Suspicion, serialiseObservations } from '@artist-watch/domain/detection/suspicion';
import { serialiseNotes } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistId, ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ChangeWrite, SettlementRows } from '@artist-watch/persistence/polling/settlement-writes';
import type { ReadingSettlement } from '../../application/detection/settlement.js';

export interface SettledArtist {
  readonly id: ArtistId;
  readonly platform: Platform;
  readonly platformId: string;
  readonly isPoll: boolean;
  readonly settlement: ReadingSettlement;
  readonly snapshotId: SnapshotId;
  /** The ids of the open changes, by key of the difference. */
  readonly openChangeIds: ReadonlyMap<string, ChangeId>;
  /** Where the reading stands in a trace. */
  readonly traceparent: string | null;
}

export interface NewIds {
  change(now: Date): ChangeId;
  snapshot(now: Date): SnapshotId;
}

/** A settlement as the rows that it writes. */
export function settlementRows(artist: SettledArtist, newIds: NewIds, now: Date): SettlementRows {
  const { id: artistId, settlement } = artist;
  const { observedAt, metric, baseline, digest, snapshot } = settlement;
  return {
    artist: { artistId, ...settlement.artist, endsClaim: artist.isPoll },
    isComplete: isConclusive(settlement),
    metric:
      metric === null
        ? null
        : {
            artistId,
            day: observedAt,
            followers: metric.followers,
            monthlyListeners: metric.monthlyListeners ?? null,
          },
    day: artist.isPoll
      ? { artistId, day: observedAt, complete: isConclusive(settlement), recount: baseline !== null }
      : null,
    baseline: baseline === null ? null : { artistId, state: serialiseBaseline(baseline), updatedAt: now },
    digest: digest === null ? null : { artistId, digest },
    snapshot:
      snapshot === null
        ? null
        : {
            id: artist.snapshotId,
            artistId,
            observedAt,
            content: snapshot,
          },
    changes: changeRows(artist, newIds, now),
    ignoredNoLonger: settlement.ignoredNoLonger.map(({ id }) => ({
      changeId: id,
      note: serialiseNotes([{ kind: 'stands_no_longer', at: observedAt, snapshotId: artist.snapshotId }]),
    })),
  };
}

function isConclusive({ kind }: ReadingSettlement): boolean {
  return kind !== 'incomplete' && kind !== 'stale';
}

function changeRows(artist: SettledArtist, newIds: NewIds, now: Date): ChangeWrite[] {
  const { advance } = artist.settlement;
  if (advance === null) return [];
  const row = (suspicion: Suspicion) => suspicionRow(artist, suspicion, newIds, now);
  return [
    ...[...advance.opened, ...advance.strengthened, ...advance.noted].map(row),
    ...advance.confirmed.map((confirmation) => confirmedRow(artist, row(confirmation.suspicion), confirmation)),
    ...advance.dismissed.map(
      ({ suspicion, reason }): ChangeWrite => ({
        ...row(suspicion),
        state: 'dismissed',
        dismissedAt: artist.settlement.observedAt,
        dismissedReason: reason,
      }),
    ),
  ];
}

function suspicionRow(artist: SettledArtist, suspicion: Suspicion, newIds: NewIds, now: Date): ChangeWrite {
  const { key, difference, observations, notes, held } = suspicion;
  return {
    id: artist.openChangeIds.get(key) ?? newIds.change(now),
    artistId: artist.id,
    artistName: artist.settlement.artist.name,
    state: held ? 'held' : 'suspected',
    type: difference.type,
    severity: difference.severity,
    entityType: difference.entityType,
    entityId: difference.entityId,
    entityName: difference.entityName,
    summary: summarise(difference, artist.settlement.artist.name),
    detectedAt: observations[0].observedAt,
    confirmedAt: null,
    dismissedAt: null,
    dismissedReason: null,
    differenceKey: key,
    difference: differenceRow(difference),
    observations: serialiseObservations(observations),
    notes: serialiseNotes(notes),
    webhookBody: null,
    traceparent: null,
  };
}

/** Frozen now: every attempt of every delivery sends these bytes. */
function confirmedRow(artist: SettledArtist, change: ChangeWrite, confirmation: Confirmation): ChangeWrite {
  const { id, platform, platformId, settlement, traceparent } = artist;
  const { suspicion, detectedAt, confirmedAt } = confirmation;
  const body = webhookBody({
    ...change,
    platform,
    artist: { id, platformId, name: settlement.artist.name },
    detectedAt,
    confirmedAt,
    ...changeValues(suspicion.difference),
  });
  return { ...change, state: 'confirmed', detectedAt, confirmedAt, webhookBody: body, traceparent };
}

function differenceRow(difference: Difference): JsonValue {
  return { ...difference };
}
