/** Secrets that sign webhooks (docs/reference/webhooks.md). */

const PREFIX = 'whsec_';

/** Random bytes per secret, as many as a SHA-256 digest has. */
export const SIGNING_SECRET_RANDOM_BYTES = 32;

/**
 * 16 to 256 characters of printable ASCII, which every language encodes in the same bytes. No comma, because receivers
 * list the current and the next secret separated by one.
 */
const FORM = /^[\x20-\x2b\x2d-\x7e]{16,256}$/;

/**
 * Creates a secret from `SIGNING_SECRET_RANDOM_BYTES` bytes of a cryptographic source: `whsec_` and padded base64, as the
 * libraries of Standard Webhooks expect. The HMAC key of `X-Service-Signature` is the whole text, including the prefix.
 * Secret scanners and our logs recognize the prefix.
 *
 * @throws {RangeError} for another number of bytes.
 */
export function makeSigningSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== SIGNING_SECRET_RANDOM_BYTES) {
    throw new RangeError(
      `a signing secret takes ${SIGNING_SECRET_RANDOM_BYTES} random bytes, not ${randomBytes.length}`,
    );
  }
  return PREFIX + Buffer.from(randomBytes).toString('base64');
}

/**
 * Returns the HMAC key of the Standard Webhooks signature, which differs from that of `X-Service-Signature`: the decoded
 * bytes of a secret that is `whsec_` and base64 (earlier versions created base64url), otherwise the bytes of the text.
 */
export function standardWebhooksKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  // Buffer drops characters and bits that are not base64, so compare the encoded key with the text.
  const key = Buffer.from(encoded, 'base64');
  const isFromEarlierVersion = key.length === SIGNING_SECRET_RANDOM_BYTES && key.toString('base64url') === encoded;
  const isBase64 = key.length > 0 && key.toString('base64') === encoded;
  return isBase64 || isFromEarlierVersion ? key : Buffer.from(secret);
}

/** True if a customer may choose this secret. */
export function isUsableSigningSecret(text: string): boolean {
  return FORM.test(text);
}
