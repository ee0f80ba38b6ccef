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
Sent to each destination with matching rules. Respond with any 2xx status within 10 seconds. Everything else is a failure:
we try again after 1 minute, 5 minutes, 30 minutes, 2 hours and 6 hours. After 20 failures in a row we switch the
destination off.

Verify the signature first: \`v1\` is the lower-case hexadecimal HMAC-SHA256 of \`<t>.<raw body>\` with the signing secret.
Compare in constant time, and reject a \`t\` that differs from your clock by 300 seconds or more.
`.trim();

/**
 * The schema allows unknown fields, because receivers must ignore them. It has no name, because oapi-codegen leaves out
 * named schemas that no path uses.
 */
const payloadSchema = z.object(webhookPayloadSchema.shape).meta({
  description:
    'A confirmed change. `detected_at` and `confirmed_at` are Unix times in seconds. ' +
    '`before` and `after` are omitted if they are long. ' +
    '`test` is true for tests and test changes, and absent otherwise.',
});

const headers = z.object({
  'X-Service-Event': z.literal('change.confirmed'),
  'X-Service-Signature': z
    .string()
    .optional()
    .meta({
      description: 'The signature of the request. Present only if the destination has a secret.',
      example: `t=1777636800,v1=${'0123456789abcdef'.repeat(4)}`,
    }),
  'X-Service-Delivery': z
    .string()
    .meta({ description: 'The id of the delivery, the same for every attempt.', example: DELIVERY.id }),
  'X-Service-Attempt': z.string().meta({ description: 'The number of the attempt, starting at 1.', example: '1' }),
  'webhook-id': z.string().optional().meta({
    description: 'The id of the change. This header and the next two are present only with `standard_webhooks`.',
    example: CHANGE.id,
  }),
  'webhook-timestamp': z
    .string()
    .optional()
    .meta({ description: 'The time of the attempt in Unix seconds.', example: '1777636800' }),
  'webhook-signature': z
    .string()
    .optional()
    .meta({
      description: 'The Standard Webhooks signature. Present only if the destination has a secret.',
      example: `v1,${'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFG'}=`,
    }),
});

/** See docs/api/webhooks.md. */
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
      '2XX': { description: 'The webhook was delivered. The body is ignored.' },
      '4XX': { description: 'The attempt failed, as with every status except 2xx.' },
    },
  });
}
