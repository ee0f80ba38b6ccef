import { createHmac } from 'node:crypto';
import type { WebhookPayload } from '@artist-watch/contracts/webhook-payload';
import { discordMessage, slackMessage } from '@artist-watch/domain/channel/change-message';
import type { ChatKind } from '@artist-watch/domain/channel/destination-kind';
import { type CustomHeader, standardWebhooksKey } from '@artist-watch/domain/delivery/webhook-options';
import { sign } from '@artist-watch/webhook-signature';
import type { Claim } from './store/claims.js';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const USER_AGENT = 'ArtistWatch-Webhooks/1';

/**
 * Builds the request for one attempt (docs/api/webhooks.md, docs/api/channels.md). Each attempt gets a new signature,
 * because receivers reject old ones.
 * @param secret a webhook's signing secret (null if unsigned), or a chat channel's URL
 * @param atMs milliseconds since 1970
 * @param dashboardUrl undefined if chat messages have no link
 */
export function deliveryRequest(
  claim: Claim,
  secret: string | null,
  custom: readonly CustomHeader[],
  atMs: number,
  dashboardUrl?: string,
): WebhookRequest {
  const { destinationKind: kind, url } = claim;
  if (kind !== 'webhook') {
    const { headers, body } = chatMessage(kind, claim.body, changeLink(claim, dashboardUrl));
    return { url: secret ?? url, body: Buffer.from(body, 'utf8'), headers };
  }
  const body = Buffer.from(claim.body, 'utf8');
  const timestamp = Math.floor(atMs / 1000);
  const signatures =
    secret === null
      ? null
      : {
          service: sign({ body, secret, timestamp }),
          standard: (id: string) =>
            `v1,${createHmac('sha256', standardWebhooksKey(secret)).update(`${id}.${timestamp}.${claim.body}`).digest('base64')}`,
        };
  return { url, body, headers: webhookHeaders(claim, custom, String(timestamp), signatures) };
}

/** @param signatures null for an unsigned destination. */
export function webhookHeaders(
  delivery: Pick<Claim, 'deliveryId' | 'attemptNumber' | 'changeId' | 'body' | 'standardWebhooks'>,
  custom: readonly CustomHeader[],
  timestamp: string,
  signatures: { readonly service: string; standard(messageId: string): string } | null,
): Record<string, string> {
  const headers: Record<string, string> = {
    // Header names are case-insensitive (RFC 9110, section 5.1). Our other headers are reserved.
    ...Object.fromEntries(custom.flatMap(({ name, value }) => (/^accept$/i.test(name) ? [] : [[name, value]]))),
    'Content-Type': 'application/json',
    Accept: '*/*',
    'User-Agent': USER_AGENT,
    'X-Service-Event': 'change.confirmed',
    'X-Service-Delivery': delivery.deliveryId,
    'X-Service-Attempt': String(delivery.attemptNumber),
  };
  if (signatures) headers['X-Service-Signature'] = signatures.service;
  if (!delivery.standardWebhooks) return headers;
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  // A test has no stored change, so its id comes from its body.
  const id = delivery.changeId ?? (JSON.parse(delivery.body) as WebhookPayload).change_id;
  headers['webhook-id'] = id;
  headers['webhook-timestamp'] = timestamp;
  if (signatures) headers['webhook-signature'] = signatures.standard(id);
  return headers;
}

/** A test without a change has no page. */
export function changeLink(
  { accountId, changeId }: Pick<Claim, 'accountId' | 'changeId'>,
  dashboardUrl: string | undefined,
): string | undefined {
  if (dashboardUrl === undefined || changeId === null) return undefined;
  return new URL(`/a/${accountId}/changes/${changeId}`, dashboardUrl).href;
}

/** Message bodies depend only on the change and DASHBOARD_URL, so every attempt sends the same bytes. */
export function chatMessage(kind: ChatKind, webhookBody: string, link: string | undefined) {
  const payload = JSON.parse(webhookBody) as WebhookPayload;
  const body = { slack: slackMessage, discord: discordMessage }[kind]({
    changeId: payload.change_id,
    artist: payload.artist,
    entityType: payload.entity_type,
    entityName: payload.entity_name,
    severity: payload.severity,
    changeType: payload.change_type,
    summary: payload.summary,
    detectedAt: new Date(payload.detected_at * 1_000),
    link,
  });
  return { headers: { 'Content-Type': 'application/json', Accept: '*/*', 'User-Agent': USER_AGENT }, body };
}
