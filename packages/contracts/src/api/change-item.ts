import type { Platform } from '@artist-watch/domain/catalogue';
import type { EntityType, Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import type { CustomerObservation } from '@artist-watch/domain/detection/customer-evidence';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import type { ChangeDetail, ChangeItem } from './change.js';
import { changeValueItem, shortValues } from './change-value.js';

/** A confirmed change as the record has it for the accounts that watch the artist. */
export interface ConfirmedChange {
  readonly id: string;
  readonly type: string;
  readonly severity: Severity;
  readonly platform: Platform;
  readonly artistId: string;
  readonly artistName: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly entityName: string;
  /** The release that a track is on; null for artists and releases. */
  readonly releaseId: string | null;
  readonly releaseName: string | null;
  readonly summary: string;
  readonly detectedAt: Date;
  readonly confirmedAt: Date;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

export interface EvidencedChange extends ConfirmedChange {
  readonly origin: 'observed' | 'reported';
  readonly observations: readonly CustomerObservation[];
}

/** An item of a list. Does not depend on who asks, nor on when. */
export function changeItem(change: ConfirmedChange): ChangeItem {
  return { ...changeFields(change), ...shortValues(change) };
}

export function changeDetail(change: EvidencedChange): ChangeDetail {
  return {
    ...changeFields(change),
    before: changeValueItem(change.before),
    after: changeValueItem(change.after),
    release_id: change.releaseId,
    release_name: change.releaseName,
    origin: change.origin,
    observations: change.observations.map(({ observedAt, kind, text, readings, seen }) => ({
      observed_at: observedAt.toISOString(),
      kind,
      text,
      readings: readings.map(({ read, said }) => ({ read, said })),
      seen: changeValueItem(seen),
    })),
  };
}

/** SPEC's fields first. */
export function changeFields(change: ConfirmedChange): Omit<ChangeItem, 'before' | 'after'> {
  return {
    id: change.id,
    type: change.type,
    severity: change.severity,
    artist_id: change.artistId,
    summary: change.summary,
    confirmed_at: change.confirmedAt.toISOString(),
    entity_type: change.entityType,
    entity_id: change.entityId,
    entity_name: change.entityName,
    detected_at: change.detectedAt.toISOString(),
    artist_name: change.artistName,
    platform_url: knownPlatformUrl(change.platform, change.entityType, change.entityId),
  };
}
