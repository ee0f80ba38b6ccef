import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ARTIST, CHANGE, CHANGE_DETAIL, DELIVERY } from '../api/operations/examples.js';
import { type WebhookPayload, webhookPayloadSchema } from '../webhook-payload.js';

const EXAMPLE: WebhookPayload = {
  event: 'change.confirmed',
  change_id: CHANGE.id,
  artist_id: ARTIST.id,
  artist: ARTIST.name,
  artist_platform_id: ARTIST.platform_id,
  entity_type: CHANGE.entity_type,
  entity_id: CHANGE.entity_id,
  entity_name: CHANGE.entity_name,
  severity: CHANGE.severity,
  change_type: CHANGE.type,
  summary: CHANGE.summary,
  detected_at: Date.parse(CHANGE.detected_at) / 1000,
  before: CHANGE_DETAIL.before,
  after: CHANGE_DETAIL.after,
  platform_url: CHANGE.platform_url,
  confirmed_at: Date.parse(CHANGE.confirmed_at) / 1000,
};

const DESCRIPTION = `
Posted to each destination whose rules let the change through. Answer with any 2xx status within 10 seconds; anything
else is a failure, and is tried again after 1 minute, 5 minutes, 30 minutes, 2 hours and 6 hours. After 20 failures in a
row the destination is switched off.

Verify the signature before anything else: \`v1\` is the lower-case hexadecimal HMAC-SHA256 of \`<t>.<raw body>\` under
the signing secret, compared in constant time; refuse a \`t\` that is 300 seconds or more from now.
`.trim();

/**
 * Not strict, as the one that we send by: receivers pass over fields that they do not know. No schema with a name of
 * its
 * own: oapi-codegen leaves out those that no path refers to, and then does not compile what it makes of the webhook.
 */
const payloadSchema = z.object(webhookPayloadSchema.shape).meta({
  description:
    'A confirmed change. `detected_at` and `confirmed_at` are Unix times in seconds. `before` or `after` is left out where ' +
    'it is long. `test` is there, and true, only where `POST /v1/destinations/{id}/test` sent it.',
});

const headers = z.object({
  'X-Service-Event': z.literal('change.confirmed'),
  'X-Service-Signature': z
    .string()
    .optional()
    .meta({
      description: 'Only of a destination with a secret.',
      example: `t=1777636800,v1=${'0123456789abcdef'.repeat(4)}`,
    }),
  'X-Service-Delivery': z
    .string()
    .meta({ description: 'The delivery, the same at every attempt.', example: DELIVERY.id }),
  'X-Service-Attempt': z.string().meta({ description: 'From 1.', example: '1' }),
});

/** docs/reference/webhooks.md */
export function registerWebhook(registry: OpenAPIRegistry): void {
  registry.registerWebhook({
    method: 'post',
    path: 'change.confirmed',
    operationId: 'changeConfirmed',
    tags: ['Changes'],
    summary: 'A change was confirmed',
    description: DESCRIPTION,
    security: [],
    request: {
      headers,
      body: { required: true, content: { 'application/json': { schema: payloadSchema, example: EXAMPLE } } },
    },
    responses: {
      '2XX': { description: 'Taken. The body is not read.' },
      '4XX': { description: 'A failure, like everything that is not 2xx.' },
    },
  });
}
