import { createHmac, timingSafeEqual } from 'node:crypto';
import { isDate, isUint8Array } from 'node:util/types';

/**
 * Returns the HMAC-SHA256 of `<t>.<raw_body>` (docs/api/webhooks.md). `timestamp` must be the exact text of `t`.
 */
function digest(timestamp: string, body: Uint8Array | string, secret: string): Uint8Array {
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

export type SignatureErrorReason =
  | 'missing_header'
  | 'invalid_header'
  | 'header_too_long'
  | 'missing_timestamp'
  | 'duplicate_timestamp'
  | 'invalid_timestamp'
  | 'missing_signature'
  | 'invalid_signature'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'invalid_body'
  | 'invalid_secret'
  | 'invalid_now'
  | 'invalid_input';

const MESSAGES: Readonly<Record<SignatureErrorReason, string>> = {
  missing_header: 'The request has no X-Service-Signature header.',
  invalid_header: 'The signature header must be one string; a list of values is not accepted.',
  header_too_long: 'The signature header is longer than 8 KiB.',
  missing_timestamp: 'The signature header has no `t` field.',
  duplicate_timestamp: 'The signature header has more than one `t` field.',
  invalid_timestamp: 'The `t` field of the signature header must contain only digits.',
  missing_signature: 'The signature header has no `v1` field.',
  invalid_signature: 'The `v1` field of the signature header must be 64 lower-case hex digits.',
  signature_mismatch: 'No signature in the header matches the body and the secret.',
  timestamp_too_old: 'The request was signed 300 seconds ago or more.',
  timestamp_in_future: 'The request was signed 300 seconds or more in the future.',
  invalid_body: 'The body must be the raw bytes (Uint8Array) or text as received, not a parsed object.',
  invalid_secret: 'The signing secret must be a non-empty string, or a non-empty list of non-empty strings.',
  invalid_now: 'The current time must be a valid Date, or a finite number of Unix seconds.',
  invalid_input: 'The arguments could not be parsed.',
};

/** `verify` throws only this error. Its message never contains a secret, a signature or a body. */
export class WebhookSignatureError extends Error {
  readonly reason: SignatureErrorReason;

  constructor(reason: SignatureErrorReason) {
    super(MESSAGES[reason]);
    this.name = 'WebhookSignatureError';
    this.reason = reason;
  }
}

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
