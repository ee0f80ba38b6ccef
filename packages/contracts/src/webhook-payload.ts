import { ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import type { ConfirmedChange } from './api/change.js';
import { changeValueSchema, shortValues } from './api/change-value.js';

/** Body of every webhook (docs/reference/webhooks.md). Field order is the order in which it is serialised. */
export const webhookPayloadSchema = z.strictObject({
  event: z.literal('change.confirmed'),
  change_id: z.string(),
  artist_id: z.string(),
  artist: z.string(),
  artist_platform_id: z.string(),
  entity_type: z.enum(ENTITY_TYPES),
  entity_id: z.string(),
  entity_name: z.string(),
  severity: z.enum(SEVERITIES),
  change_type: z.string(),
  summary: z.string(),
  /** Unix time in seconds. */
  detected_at: z.int(),
  // Added later: bodies that were frozen before have none of these.
  /** Left out where it is long; null where nothing was, or nothing was reported. */
  before: changeValueSchema.optional(),
  after: changeValueSchema.optional(),
  /** The page of the entity; null where its id is none of the platform's. */
  platform_url: z.string().nullable().optional(),
  /** Unix time in seconds. */
  confirmed_at: z.int().optional(),
  /** Only of a test: no change lies behind it. */
  test: z.literal(true).optional(),
});

export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;

/** What a payload is made of. */
export interface WebhookSubject
  extends Omit<ConfirmedChange, 'artistId' | 'artistName' | 'releaseId' | 'releaseName' | 'recordedAt'> {
  readonly artist: { readonly id: string; readonly name: string; readonly platformId: string };
  /** It is a test of a destination. */
  readonly isTest?: boolean | undefined;
}

/**
 * The exact bytes (as text) of a change's webhook, frozen when it is confirmed: serialised once, so what is signed is
 * what is sent, by every attempt.
 */
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
    detected_at: unixSeconds(change.detectedAt),
    ...shortValues(change),
    platform_url: knownPlatformUrl(change.platform, change.entityType, change.entityId),
    confirmed_at: unixSeconds(change.confirmedAt),
    ...(change.isTest && { test: true }),
  };
  return JSON.stringify(payload);
}

function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
