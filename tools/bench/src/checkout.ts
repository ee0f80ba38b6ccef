import { fileURLToPath } from 'node:url';

/** This path works for both the source and the compiled `dist`. */
export function inCheckout(file: string): string {
  return fileURLToPath(new URL(`../../../${file}`, import.meta.url));
}
