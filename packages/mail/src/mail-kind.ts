import { oneLine, withoutLinks } from '@artist-watch/domain/channel/change-message';
import { dateFormats } from '@artist-watch/domain/date-formats';
import type { z } from 'zod';
import type { Letter, LetterContext } from './letter.js';

/** Renders one kind of email from the data of an outbox row. */
export interface MailKind {
  /** @throws ZodError if the data does not match the kind's schema */
  readonly write: (data: unknown, context: LetterContext) => Letter;
}

/** Creates a kind of email. Its data is parsed when it is read from the database. */
export function mailKind<Data>(
  schema: z.ZodType<Data>,
  write: (data: Data, context: LetterContext) => Letter,
): MailKind {
  return { write: (data, context) => write(schema.parse(data), context) };
}

/**
 * Cleans names and summaries, because the platform's users chose them. The result is one line without text that mail
 * programs would convert to links. Right-to-left words in it do not change the order of the words around them.
 */
export function shown(text: string): string {
  return withoutLinks(oneLine(text)).replace(RTL_RUN, '\u2068$&\u2069');
}

/** The blocks with the letters of Hebrew, Arabic and other right-to-left scripts. */
const RTL = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
/**
 * Right-to-left words, with the spaces and numbers between them. U+2068 and U+2069 isolate them (UAX #9), so they do not
 * set the direction of a whole line, for example of a subject.
 */
const RTL_RUN = new RegExp(`[${RTL}](?:[^\\p{L}“”",;:]*[${RTL}\\p{N}])*`, 'gu');

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

const MINUTES = dateFormats({ dateStyle: 'medium', timeStyle: 'short' });

export function localMinute(instant: Date, zone: string): string {
  return MINUTES('en-GB', zone).format(instant);
}
