import type { EntityType, Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeId } from '@artist-watch/domain/ids';

/** A confirmed change that another detector reported, with everything that it left open filled in. */
export interface ReportedChange {
  readonly id: ChangeId;
  readonly externalId: string;
  /** SHA-256 of what was told; the same external id with another digest is a conflict. */
  readonly digest: Uint8Array;
  readonly artist: { readonly platformId: string; readonly name: string };
  readonly type: string;
  readonly severity: Severity;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly entityName: string;
  readonly summary: string;
  readonly detectedAt: Date;
  readonly confirmedAt: Date;
}

export type RecordedChanges =
  | {
      readonly kind: 'recorded';
      readonly accepted: readonly ChangeId[];
      /** How many were recorded before, by any replica. */
      readonly duplicates: number;
    }
  /** Nothing was written: these external ids are known with another content. */
  | { readonly kind: 'conflict'; readonly externalIds: readonly string[] };
