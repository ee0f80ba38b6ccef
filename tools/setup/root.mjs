import { fileURLToPath } from 'node:url';

/** The absolute path of the checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
