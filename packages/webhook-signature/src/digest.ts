import { createHmac } from 'node:crypto';

/**
 * The HMAC-SHA256 of `<t>.<raw_body>` (docs/reference/webhooks.md), as 32 bytes. `timestamp` is the text of `t` as it
 * is sent.
 */
export function digest(timestamp: string, body: Uint8Array | string, secret: string): Uint8Array {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}
