import { z } from 'zod';

/** Matches NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Text of at most `maxCharacters` Unicode characters that can be stored unchanged. */
export function storableText(maxCharacters: number): z.ZodType<string, string> {
  return z
    .string()
    .refine((text) => isWithin(text, maxCharacters), {
      error: `must be at most ${maxCharacters} characters`,
      abort: true,
    })
    .refine((text) => !UNSTORABLE.test(text), { error: 'must not contain NUL or a lone surrogate' });
}

/** Storable text that is not blank. */
export function boundedText(maxCharacters: number): z.ZodType<string, string> {
  return storableText(maxCharacters).refine((text) => text.trim() !== '', { error: 'must not be empty' });
}

/** Counts characters only if their number can differ from that of the UTF-16 units. */
function isWithin(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return true;
  if (text.length > 2 * maxCharacters) return false;
  return [...text].length <= maxCharacters;
}

/** An optional field, for which null means the same as absence. */
export function optional<Type extends z.ZodType>(type: Type) {
  return type.nullish().transform((value) => value ?? undefined);
}
