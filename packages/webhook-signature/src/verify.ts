import { timingSafeEqual } from 'node:crypto';
import { isDate, isUint8Array } from 'node:util/types';
import { parseHeader } from './parse-header.js';
import { digest } from './sign.js';
import { WebhookSignatureError } from './signature-error.js';

/** A request whose `t` is this far from the clock, or further, is refused (docs/reference/webhooks.md). */
export const TOLERANCE_SECONDS = 300;

export interface VerifyOptions {
  /** The value of `X-Service-Signature`, as the HTTP server hands it out. */
  readonly header: string | null | undefined;
  /** The raw body, before any parsing. */
  readonly body: Uint8Array | string;
  /** The signing secret; while a secret is being rotated, the present and the next one. */
  readonly secret: string | readonly string[];
  /** The present time: a `Date`, or Unix seconds (not milliseconds). */
  readonly now: Date | number;
}

export interface VerifiedSignature {
  /** When the request was signed, in Unix seconds. */
  readonly timestamp: number;
}

/**
 * Returns when the request was made by the holder of the secret less than 300 seconds from now, throws otherwise
 * (docs/reference/webhooks.md). The digest is compared in constant time, and before the clock is looked at, so that a
 * refusal for
 * age is a statement about a genuine request.
 *
 * @throws {WebhookSignatureError} and nothing else, whatever it is given; `reason` says why.
 */
export function verify(options: VerifyOptions): VerifiedSignature {
  try {
    return verified(options);
  } catch (error) {
    if (error instanceof WebhookSignatureError) throw error;
    // Arguments that throw when they are read (no options at all, getters, revoked proxies) end here.
    throw new WebhookSignatureError('invalid_input');
  }
}

function verified({ header, body, secret, now }: VerifyOptions): VerifiedSignature {
  const secrets = readSecrets(secret);
  const nowSeconds = readNow(now);
  if (typeof body !== 'string' && !isUint8Array(body)) throw new WebhookSignatureError('invalid_body');
  const { timestamp, signatures } = parseHeader(header);

  let matches = false;
  for (const candidate of secrets) {
    const expected = digest(timestamp, body, candidate);
    for (const signature of signatures) {
      // No early exit: the time taken must not tell which of several signatures matched.
      matches = timingSafeEqual(expected, signature) || matches;
    }
  }
  if (!matches) throw new WebhookSignatureError('signature_mismatch');

  const signedAt = Number(timestamp);
  if (nowSeconds - signedAt >= TOLERANCE_SECONDS) throw new WebhookSignatureError('timestamp_too_old');
  if (signedAt - nowSeconds >= TOLERANCE_SECONDS) throw new WebhookSignatureError('timestamp_in_future');
  return { timestamp: signedAt };
}

function readSecrets(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || !secrets.every(isSecret)) throw new WebhookSignatureError('invalid_secret');
  return secrets;
}

/** An empty key would make an HMAC that anybody can compute. */
function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readNow(now: unknown): number {
  const seconds = isDate(now) ? now.getTime() / 1000 : now;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) throw new WebhookSignatureError('invalid_now');
  return seconds;
}
