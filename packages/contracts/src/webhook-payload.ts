import { z } from 'zod';

/** Body of every webhook (docs/reference/webhooks.md). Field order is the order in which it is serialised. */
export const webhookPayloadSchema = z.strictObject({
  event: z.literal('change.confirmed'),
  change_id: z.string(),
  artist_id: z.string(),
  artist: z.string(),
  artist_platform_id: z.string(),
  entity_type: z.enum(['artist', 'release', 'track']),
  entity_id: z.string(),
  entity_name: z.string(),
  severity: z.enum(['critical', 'warning', 'info']),
  change_type: z.string(),
  summary: z.string(),
  /** Unix time in seconds. */
  detected_at: z.int(),
});

export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;

/** What a payload is made of. */
export interface WebhookSubject {
  readonly id: string;
  readonly artist: { readonly id: string; readonly name: string; readonly platformId: string };
  readonly entityType: WebhookPayload['entity_type'];
  readonly entityId: string;
  readonly entityName: string;
  readonly severity: WebhookPayload['severity'];
  readonly type: string;
  readonly summary: string;
  readonly detectedAt: Date;
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
    detected_at: Math.floor(change.detectedAt.getTime() / 1000),
  };
  return JSON.stringify(payload);
}
