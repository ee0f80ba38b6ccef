import { fileURLToPath } from 'node:url';

/** Resolves a path in the checkout. Works for the source and for the compiled `dist`. */
export function inCheckout(file: string): string {
  return fileURLToPath(new URL(`../../../${file}`, import.meta.url));
}
