import { z } from 'zod';

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode lone surrogates. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

export function storableText(maxCharacters: number): z.ZodType<string, string> {
  // Compares UTF-16 units first, because counting characters is slow. Each character has one or two units.
  const isWithin = (text: string) =>
    text.length <= maxCharacters || (text.length <= 2 * maxCharacters && [...text].length <= maxCharacters);
  return z
    .string()
    .refine(isWithin, { error: `must be at most ${maxCharacters} characters`, abort: true })
    .refine(isStorable, { error: 'must not contain NUL or a lone surrogate' });
}

export function boundedText(maxCharacters: number): z.ZodType<string, string> {
  return storableText(maxCharacters).refine((text) => text.trim() !== '', { error: 'must not be empty' });
}

/** Treats null like an absent field. */
export function optional<Type extends z.ZodType>(type: Type) {
  return type.nullish().transform((value) => value ?? undefined);
}

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|(?<sign>[+-])(?<hours>\d{2}):(?<minutes>\d{2}))$/;

const MINUTE_MS = 60_000;

/**
 * Parses RFC 3339 (section 5.6) and drops digits beyond milliseconds. A leap second at 23:59:60 UTC becomes the last
 * millisecond before midnight.
 * @returns undefined for any other text, such as a time without a time zone
 */
export function parseInstant(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const { sign, hours, minutes } = match.groups as { sign?: string; hours?: string; minutes?: string };
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) return undefined;

  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  const milliseconds = second === 60 ? 999 : Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const instant = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  instant.setUTCFullYear(year, month - 1, day);
  // `setUTCFullYear` silently moves a date such as February 30 into the next month.
  if (instant.getUTCMonth() !== month - 1) return undefined;
  instant.setUTCHours(hour, minute, Math.min(second, 59), milliseconds);
  instant.setTime(instant.getTime() - offsetMs);
  if (second === 60 && (instant.getUTCHours() !== 23 || instant.getUTCMinutes() !== 59)) return undefined;
  return instant;
}

/** PostgreSQL has no year 0, so years must be 1 to 9999. */
export const instantSchema = z.string().transform((text, context) => {
  const instant = parseInstant(text);
  if (instant && instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999) return instant;
  context.addIssue({ code: 'custom', message: 'must be an RFC 3339 instant such as 2026-05-01T12:00:00Z' });
  return z.NEVER;
});

/** Allows for clock skew between machines. */
const MAX_AHEAD_MS = 60_000;

export function liesInFuture(instant: Date, now: Date): boolean {
  return instant.getTime() > now.getTime() + MAX_AHEAD_MS;
}
