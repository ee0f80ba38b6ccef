/** Signing secrets and custom headers, which customers set for a webhook (docs/api/webhooks.md). */

const PREFIX = 'whsec_';

/** Same length as a SHA-256 digest. */
export const SIGNING_SECRET_RANDOM_BYTES = 32;

/**
 * Printable ASCII has the same bytes in every programming language. Commas are excluded because they separate the
 * current secret from the next one.
 */
const FORM = /^[\x20-\x2b\x2d-\x7e]{16,256}$/;

/**
 * Returns `whsec_` and padded base64, as Standard Webhooks libraries expect.
 * @throws {RangeError} unless there are `SIGNING_SECRET_RANDOM_BYTES` bytes
 */
export function makeSigningSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== SIGNING_SECRET_RANDOM_BYTES) {
    throw new RangeError(
      `a signing secret needs ${SIGNING_SECRET_RANDOM_BYTES} random bytes, not ${randomBytes.length}`,
    );
  }
  return PREFIX + Buffer.from(randomBytes).toString('base64');
}

/** Returns the decoded base64 after `whsec_`. For any other secret, returns the secret's own bytes. */
export function standardWebhooksKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  // Buffer ignores invalid base64, so encode the key again and compare it with the text.
  const key = Buffer.from(encoded, 'base64');
  const isFromEarlierVersion = key.length === SIGNING_SECRET_RANDOM_BYTES && key.toString('base64url') === encoded;
  const isBase64 = key.length > 0 && key.toString('base64') === encoded;
  return isBase64 || isFromEarlierVersion ? key : Buffer.from(secret);
}

export function isUsableSigningSecret(text: string): boolean {
  return FORM.test(text);
}

export interface CustomHeader {
  readonly name: string;
  readonly value: string;
}

export const MAX_CUSTOM_HEADERS = 10;

/** Header values are usually credentials, so responses never contain them. */
export const HIDDEN_HEADER_VALUE = '(hidden)';

/** A field name as defined in RFC 9110 section 5.6.2, with at most 100 characters. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A field value as defined in RFC 9110 section 5.5, without obs-text. */
export const HEADER_VALUE = /^[!-~](?:[\t -~]{0,998}[!-~])?$/;

/**
 * Customers cannot set our own headers, connection headers (RFC 9110 section 7.6.1), or `Expect`, which delays the
 * body.
 */
const RESERVED =
  /^(?:x-service-.*|webhook-.*|content-.*|proxy-.*|host|user-agent|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect)$/i;

/** Returns undefined if the list is valid. */
export function customHeadersProblem(headers: readonly CustomHeader[]): string | undefined {
  if (headers.length > MAX_CUSTOM_HEADERS) return `must have at most ${MAX_CUSTOM_HEADERS} entries`;
  const seen = new Set<string>();
  for (const { name, value } of headers) {
    if (!HEADER_NAME.test(name)) return "must have names of 1 to 100 letters, digits and !#$%&'*+-.^_`|~";
    // Many servers treat `_` and `-` in names as equivalent (RFC 3875, section 4.1.18).
    if (RESERVED.test(name.replaceAll('_', '-'))) return `must not contain "${name}", which is reserved`;
    if (!HEADER_VALUE.test(value)) {
      return `must have 1 to 1,000 printable ASCII characters as the value of "${name}", without spaces at the start or end`;
    }
    if (value === HIDDEN_HEADER_VALUE)
      return `must have the real value of "${name}", not the hidden one; send all headers again`;
    if (seen.has(name.toLowerCase())) return `must not contain "${name}" twice`;
    seen.add(name.toLowerCase());
  }
  return undefined;
}
