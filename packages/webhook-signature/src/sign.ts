import { createHmac } from 'node:crypto';

/**
 * Returns 32 bytes: the HMAC-SHA256 of `<t>.<raw_body>` (docs/reference/webhooks.md). `timestamp` must be the exact
 * text of `t`.
 */
export function digest(timestamp: string, body: Uint8Array | string, secret: string): Uint8Array {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

export interface SignOptions {
  /** The exact bytes to send, or their UTF-8 text. Serialize once, then sign and send the same bytes. */
  readonly body: Uint8Array | string;
  readonly secret: string;
  /** Whole Unix seconds. */
  readonly timestamp: number;
}

/**
 * Returns the value of `X-Service-Signature`: `t=<unix_seconds>,v1=<hex_digest>` (docs/reference/webhooks.md).
 * @throws {TypeError} if the secret is empty, or the timestamp is negative or not a whole number.
 */
export function sign({ body, secret, timestamp }: SignOptions): string {
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The signing secret must not be empty.');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw new TypeError('The timestamp must be a whole number of Unix seconds.');
  }
  const t = String(timestamp);
  return `t=${t},v1=${Buffer.from(digest(t, body, secret)).toString('hex')}`;
}
