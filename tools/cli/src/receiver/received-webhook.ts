import type { IncomingHttpHeaders } from 'node:http';
import { webhookPayloadSchema } from '@artist-watch/contracts/webhook-payload';
import {
  type SignatureErrorReason,
  type VerifyOptions,
  verify,
  WebhookSignatureError,
} from '@artist-watch/webhook-signature';

export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: Date;
}

export interface ReceivedWebhook {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly event: string | null;
  readonly delivery_id: string | null;
  readonly attempt: number | null;
  /** Null if the request is not signed. */
  readonly signature: string | null;
  /** Null if no secret is given. */
  readonly valid: boolean | null;
  readonly reason: string | null;
  readonly status: number;
  /** The parsed JSON, or the text if the body is not JSON. */
  readonly body: unknown;
}

/** @param secrets if empty, signatures are not checked. */
export function readWebhook(arrival: Arrival, secrets: readonly string[], status: number): ReceivedWebhook {
  const header = (name: string): string | null => {
    const value = arrival.headers[name];
    return value === undefined ? null : String(value);
  };
  const signature = header('x-service-signature');
  const reason =
    secrets.length === 0
      ? null
      : checkSignature({ header: signature, body: arrival.body, secret: secrets, now: arrival.at });
  const attempt = Number(header('x-service-attempt') ?? Number.NaN);
  return {
    at: arrival.at.toISOString(),
    method: arrival.method,
    path: arrival.path,
    event: header('x-service-event'),
    delivery_id: header('x-service-delivery'),
    attempt: Number.isInteger(attempt) ? attempt : null,
    signature,
    valid: secrets.length === 0 ? null : reason === null,
    reason,
    status,
    body: readBody(arrival.body),
  };
}

export function describeWebhook(received: ReceivedWebhook): string {
  const payload = webhookPayloadSchema.safeParse(received.body);
  const change = payload.success
    ? `${payload.data.severity} ${payload.data.change_type} "${payload.data.entity_name}" by ${payload.data.artist}`
    : 'not a webhook body';
  const attempt = received.attempt === null ? '' : ` attempt ${received.attempt}`;
  return [
    received.at,
    `${received.method} ${received.path}`,
    `${received.delivery_id ?? '-'}${attempt}`,
    change,
    describeSignature(received),
    `response ${received.status}`,
  ].join('  ');
}

function describeSignature({ signature, valid, reason }: ReceivedWebhook): string {
  if (valid === true) return 'signature valid';
  if (valid === false) return `signature invalid: ${reason}`;
  return signature === null ? 'not signed' : 'signature not checked';
}

function readBody(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns null for a valid signature. */
export function checkSignature(options: VerifyOptions): SignatureErrorReason | null {
  try {
    verify(options);
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}
