import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a value with a secret. The time it takes reveals neither the length nor the first characters. */
export function isSameSecret(given: string | Uint8Array, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

/** Makes both sides equally long, as `timingSafeEqual` requires. */
function digest(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
