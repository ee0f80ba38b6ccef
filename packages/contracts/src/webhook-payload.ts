import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { type ConfirmedChange, changeValueSchema, shortValues } from './api/change.js';
import { changeTypeSchema, entityTypeSchema, severitySchema } from './api/fields.js';

/** The body of every webhook (docs/api/webhooks.md). Its fields are always in this order. */
export const webhookPayloadSchema = z.strictObject({
  event: z.literal('change.confirmed'),
  change_id: z.string(),
  artist_id: z.string(),
  artist: z.string(),
  artist_platform_id: z.string(),
  entity_type: entityTypeSchema,
  entity_id: z.string(),
  entity_name: z.string(),
  severity: severitySchema,
  change_type: changeTypeSchema,
  summary: z.string(),
  /** Unix seconds. */
  detected_at: z.int(),
  // The fields below were added later, so older bodies do not have them.
  /** Omitted if the value is long. Null if there was no value, or none was reported. */
  before: changeValueSchema.optional(),
  after: changeValueSchema.optional(),
  /** Null if `entity_id` is not one of the platform's ids. */
  platform_url: z.string().nullable().optional(),
  /** Unix seconds. */
  confirmed_at: z.int().optional(),
  /** Present only in test deliveries. */
  test: z.literal(true).optional(),
});

export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;

export interface WebhookSubject
  extends Omit<ConfirmedChange, 'artistId' | 'artistName' | 'releaseId' | 'releaseName' | 'recordedAt'> {
  readonly artist: { readonly id: string; readonly name: string; readonly platformId: string };
}

/** The body is serialized once, so that every attempt signs and sends the same bytes. */
export function webhookBody(change: WebhookSubject): string {
  const payload: WebhookPayload = {
    event: 'change.confirmed',
    change_id: change.id,
    artist_id: change.artist.id,
    artist: change.artist.name,
    artist_platform_id: change.artist.platformId,
    entity_type: change.entityType,
    entity_id: change.entityId,
    entity_name: change.entityName,
    severity: change.severity,
    change_type: change.type,
    summary: change.summary,
    detected_at: Math.floor(change.detectedAt.getTime() / 1_000),
    ...shortValues(change),
    platform_url: knownPlatformUrl(change.platform, change.entityType, change.entityId),
    confirmed_at: Math.floor(change.confirmedAt.getTime() / 1_000),
    ...(change.isTest && { test: true }),
  };
  return JSON.stringify(payload);
}
