import { parseSince } from '@artist-watch/contracts/api/since';
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';

/** Reads an option as a setting is read: `9s`, a port, a whole number. */
export function parsedAs<Value>(type: z.ZodType<Value, string>): (text: string) => Value {
  return (text) => {
    const parsed = type.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? 'cannot be read'}.`);
  };
}

/** Text that has something in it, of at most so many characters. */
export function textUpTo(maxChars: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim();
    if (trimmed !== '' && [...trimmed].length <= maxChars) return trimmed;
    throw new InvalidArgumentError(`It must have 1 to ${maxChars} characters.`);
  };
}

/** `a, b` to its parts, each of which must match. */
export function listOf(form: RegExp, example: string): (text: string) => string[] {
  return (text) => {
    const parts = text.split(',').map((part) => part.trim());
    for (const part of parts) {
      if (!form.test(part)) throw new InvalidArgumentError(`Each must be such as ${example}.`);
    }
    return parts;
  };
}

export function instant(text: string): Date {
  const parsed = parseSince(text);
  if (parsed) return parsed;
  throw new InvalidArgumentError('It must be an RFC 3339 instant with a zone, such as 2026-05-01T12:00:00Z.');
}

export function emailAddress(text: string): string {
  if (/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be an e-mail address.');
}
