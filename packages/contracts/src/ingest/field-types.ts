import { z } from 'zod';

/** What PostgreSQL cannot keep (NUL) and what no UTF-8 body can carry back (half of a surrogate pair). */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Text of at most `maxCharacters` Unicode characters that comes back as it was given. */
export function storableText(maxCharacters: number): z.ZodType<string, string> {
  return z
    .string()
    .refine((text) => isWithin(text, maxCharacters), {
      error: `must be at most ${maxCharacters} characters`,
      abort: true,
    })
    .refine((text) => !UNSTORABLE.test(text), { error: 'must not hold NUL or a lone surrogate' });
}

/** The same, and not blank. */
export function boundedText(maxCharacters: number): z.ZodType<string, string> {
  return storableText(maxCharacters).refine((text) => text.trim() !== '', { error: 'must not be empty' });
}

/** Counts characters, not UTF-16 units, and only where the two could differ in the answer. */
function isWithin(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return true;
  if (text.length > 2 * maxCharacters) return false;
  return [...text].length <= maxCharacters;
}

/** What may be left out may be null as well. */
export function optional<Type extends z.ZodType>(type: Type) {
  return type.nullish().transform((value) => value ?? undefined);
}
