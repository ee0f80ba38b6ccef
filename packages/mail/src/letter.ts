import { oneLine, withoutLinks } from '@artist-watch/domain/channel/change-message';
import type { z } from 'zod';

/** HTML and plain text are both rendered from these parts. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly LetterPart[];
  /**
   * Later emails reply to the Message-ID in `first` (RFC 5322, section 3.6.4). Some email clients only group emails
   * that also have the same subject (https://support.google.com/mail/answer/5900).
   */
  readonly thread?: { readonly first: string; readonly isFirst: boolean };
  /** Unsubscribes with one click (RFC 8058). Undefined for emails that are always sent. */
  readonly unsubscribeUrl?: string;
}

export type LetterPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly label: string; readonly url: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  /** An image on another server. Some email clients don't load it, and the plain text leaves it out. */
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'facts'; readonly items: ReadonlyArray<readonly [label: string, value: string]> }
  /** The name is empty if the email is about one artist. */
  | { readonly kind: 'artist'; readonly name: string; readonly events: readonly LetterEvent[] }
  | { readonly kind: 'quote'; readonly title: string; readonly text: string }
  | { readonly kind: 'list'; readonly items: ReadonlyArray<{ readonly text: string; readonly url?: string }> }
  | {
      readonly kind: 'small';
      readonly text: string;
      readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>;
    };

export interface LetterEvent {
  readonly name: string;
  readonly fact: string;
  readonly url: string;
  readonly severity: string;
  /** Undefined in alerts, because all their changes are new. */
  readonly status?: string;
  /** Sentences with the old and new values. */
  readonly details?: readonly string[];
}

export interface LetterContext {
  readonly link: (path: string) => string;
  readonly recipient: string;
  readonly accountName: string;
  /** The member's IANA time zone. */
  readonly zone: string;
  readonly now: Date;
}

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
