import { WebhookSignatureError } from './signature-error.js';

const MAX_HEADER_LENGTH = 8 * 1024;
const DIGITS = /^[0-9]+$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

export interface ParsedHeader {
  /** The text of `t`: what was signed, so it is not rewritten. */
  readonly timestamp: string;
  /** Every well-formed `v1`, as 32 bytes; at least one. */
  readonly signatures: readonly Uint8Array[];
}

/**
 * Reads `t=<digits>,v1=<64 hex>[,v1=…]`. Unknown fields are ignored, so that a later scheme can be added beside `v1`;
 * so are spaces and tabs around names and values.
 *
 * @throws {WebhookSignatureError}
 */
export function parseHeader(header: unknown): ParsedHeader {
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

/** Only the optional white space of HTTP (RFC 9110, section 5.6.3); `trim` would also take off a no-break space. */
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
