import { fileURLToPath } from 'node:url';

/** Path of the checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
