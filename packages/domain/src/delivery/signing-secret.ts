/** Secrets that webhooks are signed with (docs/reference/webhooks.md). */

const PREFIX = 'whsec_';

/** How many random bytes a secret takes: as many as the digest that it is the key of has. */
export const SIGNING_SECRET_RANDOM_BYTES = 32;

/**
 * 16 to 256 characters of printable ASCII: what every receiver's language reads as the same bytes. No comma: receivers
 * list the present and the next secret with one in between.
 */
const FORM = /^[\x20-\x2b\x2d-\x7e]{16,256}$/;

/**
 * A new secret from `SIGNING_SECRET_RANDOM_BYTES` bytes of a cryptographic source. The whole text is the key of the
 * HMAC, prefix included; the prefix is there for secret scanners, and for our own logs.
 *
 * @throws {RangeError} for another number of bytes.
 */
export function makeSigningSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== SIGNING_SECRET_RANDOM_BYTES) {
    throw new RangeError(
      `a signing secret takes ${SIGNING_SECRET_RANDOM_BYTES} random bytes, not ${randomBytes.length}`,
    );
  }
  return PREFIX + Buffer.from(randomBytes).toString('base64url');
}

/** May a customer choose this secret? */
export function isUsableSigningSecret(text: string): boolean {
  return FORM.test(text);
}
