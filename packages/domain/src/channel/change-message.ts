import type { EntityType, Severity } from '../change/change-types.js';

export interface ChangeMessage {
  readonly changeId: string;
  readonly artist: string;
  readonly entityType: EntityType;
  readonly entityName: string;
  readonly severity: Severity;
  readonly changeType: string;
  readonly summary: string;
  readonly detectedAt: Date;
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { api: 'API', ep: 'EP', isrc: 'ISRC', upc: 'UPC' };

/** `release_removed` becomes `Release removed`. */
export function changeTitle(changeType: string): string {
  const words = changeType.split('_').filter(Boolean);
  const title = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** For example "Flowers by Nina Vale", or only the artist's name for a change to the artist. */
export function changeSubject({ entityType, entityName, artist }: ChangeMessage): string {
  return entityType === 'artist' ? artist : `${entityName} by ${artist}`;
}

export function utcMinute(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Cleans an untrusted name, but keeps the joiners that some scripts and emoji need. */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(INVISIBLE, '$1')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
}

/**
 * A regional flag is a black flag followed by tag characters for the region (UTS #51, annex C). Other tag characters
 * could hide text.
 */
const FLAG = /\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}/u.source;
const INVISIBLE = new RegExp(
  `(${FLAG})|(?!\\u200c|\\u200d|\\ufe0e|\\ufe0f)(?:\\p{Cf}|\\p{Default_Ignorable_Code_Point})`,
  'gu',
);

/** Prevents chat programs from turning URLs into links. */
export function withoutLinks(text: string): string {
  return text.replace(/:\/\//g, `:${WORD_JOINER}//`).replace(/\bwww\./gi, `$&${WORD_JOINER}`);
}

/** A zero-width character that prevents a line break. */
const WORD_JOINER = '\u2060';

/** Limits the converted text to `maxChars` UTF-16 units, without splitting a character. */
export function clipped(text: string, maxChars: number, toShow: (text: string) => string): string {
  const whole = toShow(text);
  if (whole.length <= maxChars) return whole;
  let [kept, length] = ['', 1];
  for (const character of text) {
    const part = toShow(character);
    length += part.length;
    if (length > maxChars) break;
    kept += part;
  }
  return `${kept}…`;
}
