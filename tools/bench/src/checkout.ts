import { fileURLToPath } from 'node:url';

/** The same path works for the source and for the compiled `dist`. */
export function inCheckout(file: string): string {
  return fileURLToPath(new URL(`../../../${file}`, import.meta.url));
}
