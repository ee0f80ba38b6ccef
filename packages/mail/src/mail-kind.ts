import { oneLine, withoutLinks } from '@artist-watch/domain/channel/change-message';
import { dateFormats } from '@artist-watch/domain/date-formats';
import type { z } from 'zod';
import type { Letter, LetterContext } from './letter.js';

export interface MailKind {
  /** @throws ZodError if the data does not match the kind's schema */
  readonly write: (data: unknown, context: LetterContext) => Letter;
}

export function mailKind<Data>(
  schema: z.ZodType<Data>,
  write: (data: Data, context: LetterContext) => Letter,
): MailKind {
  return { write: (data, context) => write(schema.parse(data), context) };
}

/**
 * Cleans up a name from the platform. The result is a single line without links, and right-to-left words cannot reorder
 * the text around them.
 */
export function shown(text: string): string {
  return withoutLinks(oneLine(text)).replace(RTL_RUN, '\u2068$&\u2069');
}

const RTL = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
/**
 * U+2068 and U+2069 isolate right-to-left words (UAX #9), so that they don't change the direction of the whole line.
 */
const RTL_RUN = new RegExp(`[${RTL}](?:[^\\p{L}“”",;:]*[${RTL}\\p{N}])*`, 'gu');

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

const MINUTES = dateFormats({ dateStyle: 'medium', timeStyle: 'short' });

const DAYS = dateFormats({ dateStyle: 'medium' });

export function localDay(instant: Date, zone: string): string {
  return DAYS('en-GB', zone).format(instant);
}

export function localMinute(instant: Date, zone: string): string {
  return MINUTES('en-GB', zone).format(instant);
}
