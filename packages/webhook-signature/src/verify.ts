import { timingSafeEqual } from 'node:crypto';
import { isDate, isUint8Array } from 'node:util/types';
import { digest } from './sign.js';
import { WebhookSignatureError } from './signature-error.js';

/** A signature's timestamp must be closer to the current time than this (docs/api/webhooks.md). */
export const TOLERANCE_SECONDS = 300;

export interface VerifyOptions {
  /** The value of the `X-Service-Signature` header, exactly as the HTTP server provides it. */
  readonly header: string | null | undefined;
  /** The raw body, before any parsing. */
  readonly body: Uint8Array | string;
  /** During a rotation, pass the current and the next secret. */
  readonly secret: string | readonly string[];
  /** A `Date`, or Unix seconds (not milliseconds). */
  readonly now: Date | number;
}

export interface VerifiedSignature {
  /** Unix seconds. */
  readonly timestamp: number;
}

/**
 * Verifies the signature first, then checks that its timestamp is less than 300 seconds from `now`
 * (docs/api/webhooks.md). So if the reason is `timestamp_too_old` or `timestamp_in_future`, the signature itself
 * matches.
 * @throws {WebhookSignatureError} with the `reason`. Never throws another error.
 */
export function verify(options: VerifyOptions): VerifiedSignature {
  try {
    return verified(options);
  } catch (error) {
    if (error instanceof WebhookSignatureError) throw error;
    // Reading the arguments can throw: missing options, throwing getters, revoked proxies.
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
      // Compare all signatures, so that the duration does not reveal which one matched.
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

/** Anyone can compute the HMAC of an empty secret. */
function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readNow(now: unknown): number {
  const seconds = isDate(now) ? now.getTime() / 1000 : now;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) throw new WebhookSignatureError('invalid_now');
  return seconds;
}

const MAX_HEADER_LENGTH = 8 * 1024;
const DIGITS = /^[0-9]+$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

interface ParsedHeader {
  readonly timestamp: string;
  /** All well-formed `v1` values (at least one), 32 bytes each. */
  readonly signatures: readonly Uint8Array[];
}

/**
 * Parses `t=<digits>,v1=<64 hex>[,v1=…]`. Ignores unknown fields, so that other schemes can be added later.
 * @throws {WebhookSignatureError}
 */
function parseHeader(header: unknown): ParsedHeader {
  if (header === undefined || header === null) throw new WebhookSignatureError('missing_header');
  if (typeof header !== 'string') throw new WebhookSignatureError('invalid_header');
  if (header.length > MAX_HEADER_LENGTH) throw new WebhookSignatureError('header_too_long');
  if (trimBlanks(header) === '') throw new WebhookSignatureError('missing_header');

  const timestamps: string[] = [];
  const candidates: string[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    const name = trimBlanks(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : trimBlanks(part.slice(equals + 1));
    if (name === 't') timestamps.push(value);
    else if (name === 'v1') candidates.push(value);
  }

  const [timestamp] = timestamps;
  if (timestamp === undefined) throw new WebhookSignatureError('missing_timestamp');
  if (timestamps.length > 1) throw new WebhookSignatureError('duplicate_timestamp');
  if (!DIGITS.test(timestamp)) throw new WebhookSignatureError('invalid_timestamp');

  if (candidates.length === 0) throw new WebhookSignatureError('missing_signature');
  const signatures = candidates.filter((value) => SHA256_HEX.test(value)).map((value) => Buffer.from(value, 'hex'));
  if (signatures.length === 0) throw new WebhookSignatureError('invalid_signature');

  return { timestamp, signatures };
}

/** Trims only spaces and tabs (RFC 9110, section 5.6.3). `trim` would also remove a no-break space. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
