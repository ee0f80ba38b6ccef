import type { EntityType, Severity } from '../change/change-types.js';

/** What a message to people says of a change: what its frozen webhook body holds. */
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

const ABBREVIATIONS: Readonly<Record<string, string>> = { api: 'API', isrc: 'ISRC', upc: 'UPC' };

/** `release_removed` as people write it: `Release removed`. */
export function changeTitle(changeType: string): string {
  const words = changeType.split('_').filter(Boolean);
  const title = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Of a change of the artist the name is the artist's own. */
export function changeSubject({ entityType, entityName, artist }: ChangeMessage): string {
  return entityType === 'artist' ? artist : `${entityName} by ${artist}`;
}

/** To the minute, in UTC. */
export function utcMinute(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * One line of text from names that somebody else chose, for people's eyes: without controls, line breaks, marks that turn
 * the direction of what follows (U+202E), characters that are not seen, and halves of characters. The joiners stay that
 * some scripts and emoji are written with.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/(?!\u200c|\u200d|\ufe0e|\ufe0f)(?:\p{Cf}|\p{Default_Ignorable_Code_Point})/gu, '')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
}

/** No address in it becomes a link in a program that makes links of all that looks like one. */
export function withoutLinks(text: string): string {
  return text.replace(/:\/\//g, `:${WORD_JOINER}//`).replace(/\bwww\./gi, `$&${WORD_JOINER}`);
}

/** Has no width, and breaks no word. */
const WORD_JOINER = '\u2060';

/** At most `maxChars` UTF-16 units once `toShow` has been over it; what is cut ends in `…`, and never within a character. */
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
