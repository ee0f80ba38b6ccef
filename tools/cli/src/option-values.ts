import { parseSince } from '@artist-watch/contracts/api/change-filter';
import { integer } from '@artist-watch/runtime/settings/settings';
import { InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import type { VerbOption } from './noun.js';
import type { Shown } from './text.js';

export function parsedAs<Value>(type: z.ZodType<Value, string>): (text: string) => Value {
  return (text) => {
    const parsed = type.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`The value ${parsed.error.issues[0]?.message ?? 'cannot be read'}.`);
  };
}

/** `NoInfer` keeps TypeScript from inferring the type from how the option is used. */
export function optional<Value = string>(
  placeholder: string,
  description: string,
  parse?: (text: string) => Value,
): VerbOption<NoInfer<Value> | undefined> {
  return { declare: (flag) => [newOption(`${flag} ${placeholder}`, description, parse)] };
}

export function required<Value = string>(
  placeholder: string,
  description: string,
  parse?: (text: string) => Value,
): VerbOption<NoInfer<Value>> {
  return { declare: (flag) => [newOption(`${flag} ${placeholder}`, description, parse).makeOptionMandatory()] };
}

export function optionalOr(otherwise: string, placeholder: string, description: string): VerbOption<string> {
  return { declare: (flag) => [newOption(`${flag} ${placeholder}`, description).default(otherwise)] };
}

/** Adds a `--no-…` option, which sets the value to false. */
export function orNone<Value>(option: VerbOption<Value>, description: string): VerbOption<Value | false> {
  return {
    declare: (flag) => [...option.declare(flag), newOption(flag.replace(/^--/, '--no-'), description)],
  };
}

export function oneOf<Word extends string>(
  placeholder: string,
  description: string,
  words: readonly Word[],
): VerbOption<NoInfer<Word> | undefined> {
  return { declare: (flag) => [newOption(`${flag} ${placeholder}`, description).choices(words)] };
}

export function requiredOneOf<Word extends string>(
  placeholder: string,
  description: string,
  words: readonly Word[],
): VerbOption<NoInfer<Word>> {
  return {
    declare: (flag) => [newOption(`${flag} ${placeholder}`, description).choices(words).makeOptionMandatory()],
  };
}

export function oneOfOr<Word extends string>(
  otherwise: Word,
  placeholder: string,
  description: string,
  words: readonly Word[],
): VerbOption<NoInfer<Word>> {
  return { declare: (flag) => [newOption(`${flag} ${placeholder}`, description).choices(words).default(otherwise)] };
}

export function flag(description: string): VerbOption<true | undefined> {
  return { declare: (name) => [newOption(name, description)] };
}

function newOption(flags: string, description: string, parse?: (text: string) => unknown): Option {
  const option = new Option(flags, description);
  return parse ? option.argParser(parse) : option;
}

export function textUpTo(maxChars: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim();
    if (trimmed !== '' && [...trimmed].length <= maxChars) return trimmed;
    throw new InvalidArgumentError(`The value must have 1 to ${maxChars} characters.`);
  };
}

/** Parses a list such as `a, b`, in which each item must match the pattern. */
export function listOf(form: RegExp, example: string): (text: string) => string[] {
  return (text) => {
    const parts = text.split(',').map((part) => part.trim());
    for (const part of parts) {
      if (!form.test(part)) throw new InvalidArgumentError(`Each must look like ${example}.`);
    }
    return parts;
  };
}

export function instant(text: string): Date {
  const parsed = parseSince(text);
  if (parsed) return parsed;
  throw new InvalidArgumentError('The value must be an RFC 3339 time with a time zone, such as 2026-05-01T12:00:00Z.');
}

export function emailAddress(text: string): string {
  if (/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError('The value must be an email address.');
}

const PAGE_ROWS = 500;

export const limit = optional(
  '<count>',
  'maximum number; default: all',
  parsedAs(integer({ min: 1, max: 1_000_000_000 })),
);

/** @param read returns up to `pageLimit` rows after `last`. */
export async function* pages<Row>(
  max: number | undefined,
  present: (row: Row) => Shown,
  read: (last: Row | undefined, pageLimit: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Shown[]> {
  let left = max ?? Number.POSITIVE_INFINITY;
  let last: Row | undefined;
  while (left > 0) {
    const pageLimit = Math.min(left, PAGE_ROWS);
    const rows = await read(last, pageLimit);
    yield rows.map(present);
    if (rows.length < pageLimit) return;
    last = rows.at(-1);
    left -= rows.length;
  }
}
