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
