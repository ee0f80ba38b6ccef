/** See docs/api/webhooks.md. */

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
