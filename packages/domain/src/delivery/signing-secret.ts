/** Secrets that sign webhooks (docs/reference/webhooks.md). */

const PREFIX = 'whsec_';

/** Random bytes per secret, the same number as in a SHA-256 digest. */
export const SIGNING_SECRET_RANDOM_BYTES = 32;

/**
 * A secret has 16 to 256 printable ASCII characters, which every language encodes as the same bytes. A comma is not
 * allowed, because receivers configure the current and the next secret as a comma-separated list.
 */
const FORM = /^[\x20-\x2b\x2d-\x7e]{16,256}$/;

/**
 * Creates a secret from `SIGNING_SECRET_RANDOM_BYTES` bytes of a cryptographic source. The secret is `whsec_` and
 * padded base64, as the libraries of Standard Webhooks expect. The HMAC key of `X-Service-Signature` is the whole text
 * including the prefix, by which secret scanners and our logs recognize it.
 *
 * @throws {RangeError} for another number of bytes
 */
export function makeSigningSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== SIGNING_SECRET_RANDOM_BYTES) {
    throw new RangeError(
      `a signing secret needs ${SIGNING_SECRET_RANDOM_BYTES} random bytes, not ${randomBytes.length}`,
    );
  }
  return PREFIX + Buffer.from(randomBytes).toString('base64');
}

/**
 * Returns the HMAC key of the Standard Webhooks signature. If the secret is `whsec_` and base64 (base64url in earlier
 * versions), the key is the decoded bytes. Otherwise it is the bytes of the text. The key of `X-Service-Signature` is
 * always the text.
 */
export function standardWebhooksKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  // Buffer ignores characters and bits that are not valid base64, so compare the encoded key with the text.
  const key = Buffer.from(encoded, 'base64');
  const isFromEarlierVersion = key.length === SIGNING_SECRET_RANDOM_BYTES && key.toString('base64url') === encoded;
  const isBase64 = key.length > 0 && key.toString('base64') === encoded;
  return isBase64 || isFromEarlierVersion ? key : Buffer.from(secret);
}

/** True if a customer can use this text as a signing secret. */
export function isUsableSigningSecret(text: string): boolean {
  return FORM.test(text);
}
