import { createHmac } from 'node:crypto';

/**
 * The HMAC-SHA256 of `<t>.<raw_body>` (docs/reference/webhooks.md), as 32 bytes. `timestamp` is the text of `t` as it
 * is sent.
 */
export function digest(timestamp: string, body: Uint8Array | string, secret: string): Uint8Array {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

export interface SignOptions {
  /** The exact bytes that are sent; a string is sent as UTF-8. Serialise once, sign that, send that. */
  readonly body: Uint8Array | string;
  readonly secret: string;
  /** When the request is sent, in whole Unix seconds. */
  readonly timestamp: number;
}

/**
 * The value of `X-Service-Signature` for one request: `t=<unix_seconds>,v1=<hex_digest>` (docs/reference/webhooks.md).
 *
 * @throws {TypeError} for an empty secret, or a timestamp that is not a whole number of seconds from 0 on.
 */
export function sign({ body, secret, timestamp }: SignOptions): string {
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The signing secret must not be empty.');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw new TypeError('The timestamp must be a whole number of Unix seconds.');
  }
  const t = String(timestamp);
  return `t=${t},v1=${Buffer.from(digest(t, body, secret)).toString('hex')}`;
}
