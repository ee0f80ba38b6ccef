import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares with a secret: the time taken shows neither its length nor its first characters. */
export function isSameSecret(given: string | Uint8Array, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

/** Of one length whatever is compared, as the comparison in constant time asks. */
function digest(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
