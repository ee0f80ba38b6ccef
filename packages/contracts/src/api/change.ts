import { ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change-types';
import { z } from 'zod';
import { instantSchema } from './instant.js';
import { nextCursorSchema } from './paging.js';

/** A confirmed change (SPEC section 2). */
export const changeSchema = z.strictObject({
  id: z.string(),
  /** The list of types may grow: take those you do not know for what their severity says. */
  type: z.string(),
  severity: z.enum(SEVERITIES),
  artist_id: z.string(),
  summary: z.string(),
  confirmed_at: instantSchema,
  entity_type: z.enum(ENTITY_TYPES),
  /** The platform's identifier. */
  entity_id: z.string(),
  entity_name: z.string(),
  detected_at: instantSchema,
});

/** Newest first. */
export const changeListSchema = z.strictObject({ data: z.array(changeSchema), next_cursor: nextCursorSchema });

export type ChangeItem = z.infer<typeof changeSchema>;

/** What is shown of a confirmed change that was read from the record. */
export interface ShownChange {
  readonly id: string;
  readonly type: string;
  readonly severity: ChangeItem['severity'];
  readonly artistId: string;
  readonly summary: string;
  readonly confirmedAt: Date;
  readonly entityType: ChangeItem['entity_type'];
  readonly entityId: string;
  readonly entityName: string;
  readonly detectedAt: Date;
}

export function presentChange(change: ShownChange): ChangeItem {
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
  };
}
