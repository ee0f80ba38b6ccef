import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time. */
export function isSameSecret(given: string | Uint8Array, secret: string): boolean {
  // `timingSafeEqual` requires equal lengths.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
