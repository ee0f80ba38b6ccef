import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a value with a secret in constant time, which reveals neither the length nor the first characters. */
export function isSameSecret(given: string | Uint8Array, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

/** Hashes a value, because `timingSafeEqual` requires two values of the same length. */
function digest(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
