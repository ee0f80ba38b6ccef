import { oneLine, withoutLinks } from '@artist-watch/domain/channel/change-message';
import { dateFormats } from '@artist-watch/domain/date-formats';
import type { z } from 'zod';
import type { Letter, LetterContext } from './letter.js';

/** A kind of mail: the data that a row of the outbox holds, and what is said of it. */
export interface MailKind {
  /** @throws ZodError when the data is not of this kind */
  readonly write: (data: unknown, context: LetterContext) => Letter;
}

/** Parses the data once, where it leaves the record. */
export function mailKind<Data>(
  schema: z.ZodType<Data>,
  write: (data: Data, context: LetterContext) => Letter,
): MailKind {
  return { write: (data, context) => write(schema.parse(data), context) };
}

/** Names and summaries hold what a platform's users chose: one line, and nothing that a mail program makes a link of. */
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
