import { z } from 'zod';

/** SPEC section 8: at most so many items in one answer, and as many unless `limit` says less. */
export const MAX_PAGE_ITEMS = 200;

const LIMIT_MESSAGE = `"limit" must be one whole number from 1 to ${MAX_PAGE_ITEMS}.`;

/** Query parameter `limit`: decimal digits, nothing else. */
export const limitSchema = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, LIMIT_MESSAGE)
  .transform(Number)
  .refine((limit) => limit <= MAX_PAGE_ITEMS, LIMIT_MESSAGE);

/** What follows in a list: pass it back as `cursor`; null at the end. */
export const nextCursorSchema = z.string().nullable();
