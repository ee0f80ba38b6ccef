import { fileURLToPath } from 'node:url';

/** A path from the root of the checkout, from source and from `dist` alike. */
export function inCheckout(file: string): string {
  return fileURLToPath(new URL(`../../../${file}`, import.meta.url));
}
