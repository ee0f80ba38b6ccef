import { oneLine, withoutLinks } from '@artist-watch/domain/channel/change-message';
import { dateFormats } from '@artist-watch/domain/date-formats';
import type { z } from 'zod';
import type { Letter, LetterContext } from './letter.js';

/** A kind of email, which renders the data of an outbox row. */
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
 * programs would convert to links.
 */
export function shown(text: string): string {
  return withoutLinks(oneLine(text));
}

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
