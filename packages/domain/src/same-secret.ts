import { hash, timingSafeEqual } from 'node:crypto';

/** Compares a value with a secret in constant time, which reveals neither the length nor the first characters. */
export function isSameSecret(given: string | Uint8Array, secret: string): boolean {
  // `timingSafeEqual` requires sides of equal length.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
