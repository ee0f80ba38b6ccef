import type { ChangeItem } from '@artist-watch/contracts/api/change';
import type { ChangeRecord } from '@artist-watch/persistence/change/change-reads';

type FieldsOfConfirmed = 'confirmed_at' | 'artist_name' | 'platform_url' | 'before' | 'after';

/** A change by the names that the API gives its fields, in whatever state it is. */
export type ShownChange = Omit<ChangeItem, FieldsOfConfirmed> & { readonly confirmed_at: string | null };

export function showChange(change: ChangeRecord): ShownChange {
  return {
    id: change.id,
    type: change.type,
    severity: change.severity,
    artist_id: change.artistId,
    summary: change.summary,
    confirmed_at: change.confirmedAt?.toISOString() ?? null,
    entity_type: change.entityType,
    entity_id: change.entityId,
    entity_name: change.entityName,
    detected_at: change.detectedAt.toISOString(),
  };
}
