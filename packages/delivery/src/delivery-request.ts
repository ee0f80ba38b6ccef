import { createHmac } from 'node:crypto';
import type { WebhookPayload } from '@artist-watch/contracts/webhook-payload';
import { type ChangeMessage, discordMessage, slackMessage } from '@artist-watch/domain/channel/change-message';
import type { ChatKind } from '@artist-watch/domain/channel/destination-kind';
import type { CustomHeader } from '@artist-watch/domain/delivery/custom-headers';
import { standardWebhooksKey } from '@artist-watch/domain/delivery/signing-secret';
import { sign } from '@artist-watch/webhook-signature';
import type { Claim } from './store/claims.js';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Message bodies depend only on the change, so every attempt sends the same bytes. */
const FORMATTERS: Readonly<Record<ChatKind, (change: ChangeMessage) => string>> = {
  slack: slackMessage,
  discord: discordMessage,
};

const USER_AGENT = 'ArtistWatch-Webhooks/1';

export interface DeliveryRequestParts {
  /** A webhook's signing secret (null if unsigned), or a chat channel's URL. */
  readonly secret: string | null;
  readonly headers: readonly CustomHeader[];
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/**
 * Builds the request for one attempt (docs/api/webhooks.md, docs/api/channels.md). Each attempt gets a new signature,
 * because receivers reject old ones.
 */
export function deliveryRequest(claim: Claim, { secret, headers: custom, atMs }: DeliveryRequestParts): WebhookRequest {
  const { destinationKind: kind, url } = claim;
  if (kind !== 'webhook') {
    const { headers, body } = chatMessage(kind, claim.body);
    return { url: secret ?? url, body: Buffer.from(body, 'utf8'), headers };
  }
  const body = Buffer.from(claim.body, 'utf8');
  const timestamp = Math.floor(atMs / 1000);
  const signature = secret === null ? null : sign({ body, secret, timestamp });
  const headers = {
    ...Object.fromEntries(custom.map(({ name, value }) => [name, value])),
    ...webhookHeaders(claim, signature),
  };
  if (!claim.standardWebhooks) return { url, body, headers };
  const id = messageId(claim);
  const standardSignature = secret === null ? null : signStandard(`${id}.${timestamp}.${claim.body}`, secret);
  return { url, body, headers: { ...headers, ...standardHeaders(id, String(timestamp), standardSignature) } };
}

/** Returns the `webhook-id`, which is the change's id. A test has no stored change, so its id comes from its body. */
export function messageId({ changeId, body }: Pick<Claim, 'changeId' | 'body'>): string {
  return changeId ?? (JSON.parse(body) as WebhookPayload).change_id;
}

/**
 * Builds Standard Webhooks headers.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @param signature null for an unsigned destination.
 */
export function standardHeaders(id: string, timestamp: string, signature: string | null): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signature !== null && { 'webhook-signature': signature }),
  };
}

function signStandard(content: string, secret: string): string {
  return `v1,${createHmac('sha256', standardWebhooksKey(secret)).update(content).digest('base64')}`;
}

export function chatMessage(kind: ChatKind, webhookBody: string) {
  const headers = { 'Content-Type': 'application/json', Accept: '*/*', 'User-Agent': USER_AGENT };
  return { headers, body: FORMATTERS[kind](parseChange(webhookBody)) };
}

function parseChange(webhookBody: string): ChangeMessage {
  const payload = JSON.parse(webhookBody) as WebhookPayload;
  return {
    changeId: payload.change_id,
    artist: payload.artist,
    entityType: payload.entity_type,
    entityName: payload.entity_name,
    severity: payload.severity,
    changeType: payload.change_type,
    summary: payload.summary,
    detectedAt: new Date(payload.detected_at * 1_000),
  };
}

/** @param signature null for an unsigned destination. */
export function webhookHeaders(
  { deliveryId, attemptNumber }: Pick<Claim, 'deliveryId' | 'attemptNumber'>,
  signature: string | null,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Accept: '*/*',
    'User-Agent': USER_AGENT,
    'X-Service-Event': 'change.confirmed',
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attemptNumber),
    ...(signature !== null && { 'X-Service-Signature': signature }),
  };
}
