import { sign } from '@artist-watch/webhook-signature';
import type { ClaimedDelivery } from '../store/claims.js';
import type { WebhookRequest } from './ports.js';

export const USER_AGENT = 'ArtistWatch-Webhooks/1';

/**
 * The request of one attempt (docs/reference/webhooks.md). The body is the very bytes that were frozen at
 * confirmation; the
 * signature is made anew for each attempt, since receivers refuse an old one.
 *
 * @param secret null for an unsigned destination.
 * @param atMs when it is sent, in milliseconds since 1970.
 */
export function webhookRequest(claim: ClaimedDelivery, secret: string | null, atMs: number): WebhookRequest {
  const body = Buffer.from(claim.body, 'utf8');
  const timestamp = Math.floor(atMs / 1000);
  const signature = secret === null ? null : sign({ body, secret, timestamp });
  return { url: claim.url, body, headers: webhookHeaders(claim, signature) };
}

/** @param signature null for an unsigned destination. */
export function webhookHeaders(
  { deliveryId, attemptNumber }: Pick<ClaimedDelivery, 'deliveryId' | 'attemptNumber'>,
  signature: string | null,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Event': 'change.confirmed',
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attemptNumber),
    ...(signature !== null && { 'X-Service-Signature': signature }),
  };
}
