import { z } from 'zod';

/** At most so many items in one answer, and as many unless `limit` says less (docs/reference/api.md). */
export const MAX_PAGE_ITEMS = 200;

const LIMIT_MESSAGE = `"limit" must be one whole number from 1 to ${MAX_PAGE_ITEMS}.`;

const limitForm = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, LIMIT_MESSAGE)
  .transform(Number)
  .refine((limit) => limit <= MAX_PAGE_ITEMS, LIMIT_MESSAGE);

const LIMIT_META = { type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS } as const;

/** Query parameter `limit`: decimal digits, nothing else. */
export const limitSchema = limitForm.meta({
  ...LIMIT_META,
  default: MAX_PAGE_ITEMS,
  description: 'How many items the page has at most.',
});

/** The same of a list that comes whole without it. */
export const limitOfWholeSchema = limitForm.meta({
  ...LIMIT_META,
  description: 'How many items the page has at most; all unless given.',
});

/** Query parameter `cursor`. */
export const cursorSchema = z.string().meta({
  pattern: '^[A-Za-z0-9_-]+$',
  minLength: 24,
  maxLength: 4_096,
  description: '`next_cursor` of the page before. It belongs to one list of one account.',
});

export const nextCursorSchema = z
  .string()
  .nullable()
  .meta({ description: 'Pass it back as `cursor` for the next page; null on the last one. `Link` holds the address.' });
