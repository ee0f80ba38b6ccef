import { createHmac } from 'node:crypto';

/**
 * Returns the HMAC-SHA256 of `<t>.<raw_body>` (docs/api/webhooks.md). `timestamp` must be the exact text of `t`.
 */
export function digest(timestamp: string, body: Uint8Array | string, secret: string): Uint8Array {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

export interface SignOptions {
  /** Serialize the body once, then sign and send the same bytes. A string is signed as UTF-8. */
  readonly body: Uint8Array | string;
  readonly secret: string;
  /** Whole Unix seconds. */
  readonly timestamp: number;
}

/**
 * Returns `t=<unix_seconds>,v1=<hex_digest>` for `X-Service-Signature` (docs/api/webhooks.md).
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
